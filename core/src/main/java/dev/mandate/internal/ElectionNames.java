package dev.mandate.internal;

import dev.mandate.spi.RecordKey;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One object for each name, while somebody holds it or the client takes part in its election. A released name costs
 * nothing. Any thread.
 */
final class ElectionNames {
    private static final class Named extends WeakReference<ClientElection> {
        private final RecordKey key;
        /** The same object, while the client takes part. */
        private volatile @Nullable ClientElection used;

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

    /** Changed by whoever has this object's monitor; read by everybody. */
    private volatile Map<RecordKey, Named> named = new ConcurrentHashMap<>();

    // Guarded by this.
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
            name(election);
        }
        return election;
    }

    private Named name(ClientElection election) {
        Named name = new Named(election, gone);
        named.put(election.key(), name);
        sizeMax = Math.max(sizeMax, named.size());
        return name;
    }

    private void letGo() {
        for (Object each = gone.poll(); each != null; each = gone.poll()) {
            if (each instanceof Named name) {
                named.remove(name.key, name);
            }
        }
        if (sizeMax > SIZE_KEPT && named.size() < sizeMax / SHARE_USED_MIN) {
            named = new ConcurrentHashMap<>(named);
            sizeMax = named.size();
        }
    }

    // ---- those that the client takes part in, or remembers ----

    /** The client takes part in it. */
    synchronized void use(ClientElection election) {
        Named known = named.get(election.key());
        Named name = known != null && known.get() == election ? known : name(election);
        name.used = election;
    }

    /** The client does so no longer. */
    void release(ClientElection election) {
        Named known = named.get(election.key());
        if (known != null && known.used == election) {
            known.used = null;
        }
    }

    /** The one of this name; null if the client takes no part in it. */
    @Nullable
    ClientElection used(RecordKey key) {
        Named known = named.get(key);
        return known == null ? null : known.used;
    }

    /** All of them. Makes no copy, because it is also called when memory is short. */
    Iterable<ClientElection> used() {
        return () -> named.values().stream()
                .flatMap(name -> Stream.ofNullable(name.used))
                .iterator();
    }
}
