package dev.mandate.internal;

import dev.mandate.spi.RecordKey;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
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

    /** A table that had room for more is given back once it is this empty: a table never shrinks by itself. */
    private static final int SHARE_USED_MIN = 8;

    private static final int SIZE_KEPT = 4_096;

    private final ReferenceQueue<ClientElection> gone = new ReferenceQueue<>();
    private final Function<RecordKey, ClientElection> maker;

    // Guarded by this.
    private Map<RecordKey, Named> named = new HashMap<>();
    private int sizeMax;

    ElectionNames(Function<RecordKey, ClientElection> maker) {
        this.maker = maker;
    }

    synchronized ClientElection get(RecordKey key) {
        letGo();
        Named known = named.get(key);
        ClientElection election = known == null ? null : known.get();
        if (election == null) {
            election = maker.apply(key);
            named.put(key, new Named(election, gone));
            sizeMax = Math.max(sizeMax, named.size());
        }
        return election;
    }

    private void letGo() {
        for (Object each = gone.poll(); each != null; each = gone.poll()) {
            if (each instanceof Named name) {
                named.remove(name.key, name);
            }
        }
        if (sizeMax > SIZE_KEPT && named.size() < sizeMax / SHARE_USED_MIN) {
            named = new HashMap<>(named);
            sizeMax = named.size();
        }
    }
}
