package dev.mandate.internal;

import dev.mandate.spi.RecordKey;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** One object for each name, for as long as somebody has it: a name that was used and let go costs nothing. Any thread. */
final class ElectionNames {
    private static final class Named extends WeakReference<ClientElection> {
        private final RecordKey key;

        Named(ClientElection election, ReferenceQueue<ClientElection> gone) {
            super(election, gone);
            this.key = election.key();
        }
    }

    private final Map<RecordKey, Named> named = new ConcurrentHashMap<>();
    private final ReferenceQueue<ClientElection> gone = new ReferenceQueue<>();
    private final Function<RecordKey, ClientElection> maker;

    ElectionNames(Function<RecordKey, ClientElection> maker) {
        this.maker = maker;
    }

    ClientElection get(RecordKey key) {
        letGo();
        while (true) {
            Named known = named.get(key);
            ClientElection election = known == null ? null : known.get();
            if (election != null) {
                return election;
            }
            ClientElection made = maker.apply(key);
            Named next = new Named(made, gone);
            if (known == null ? named.putIfAbsent(key, next) == null : named.replace(key, known, next)) {
                return made;
            }
        }
    }

    private void letGo() {
        for (Object each = gone.poll(); each != null; each = gone.poll()) {
            if (each instanceof Named name) {
                named.remove(name.key, name);
            }
        }
    }
}
