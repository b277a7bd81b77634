package dev.mandate.support;

import dev.mandate.spi.RecordKey;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The keys that a store's client follows, as far as its calls show: those it read or wrote lately. For a store that
 * must query each election separately to find changes. Never narrows a watch of another prefix, which reports every
 * key. Holds a bounded number of keys. Thread-safe; nothing blocks.
 */
public final class Interest {
    /** A follower reads its key far more often than this, unless the lease is very long. */
    private static final long LEAST_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** More keys than this are not recorded. */
    private static final int KEYS_MAX = 100_000;

    private final LongSupplier clock;
    private final Map<RecordKey, Use> uses = new ConcurrentHashMap<>();
    private volatile long lastsNanos = LEAST_NANOS;

    /** Nothing is followed yet; {@code clock} is monotonic, in nanoseconds. */
    public Interest(LongSupplier clock) {
        this.clock = clock;
    }

    /** A lease of this length was requested: its client may read a key as rarely as that. */
    public void lease(long nanos) {
        lastsNanos = Math.max(lastsNanos, nanos);
    }

    /** A key, and when it was used last. */
    private static final class Use {
        final RecordKey key;
        volatile long atNanos;

        Use(RecordKey key, long atNanos) {
            this.key = key;
            this.atNanos = atNanos;
        }
    }

    /** The key was used; true if it is new here. */
    public boolean used(RecordKey key) {
        long now = clock.getAsLong();
        Use known = uses.get(key);
        if (known != null) {
            known.atNanos = now;
            return false;
        }
        return !key.equals(RecordKey.PROBE)
                && uses.size() < KEYS_MAX
                && uses.putIfAbsent(key, new Use(key, now)) == null;
    }

    /** Whether the key was used, and is not forgotten yet. */
    public boolean contains(RecordKey key) {
        return uses.containsKey(key);
    }

    /** An equal key: the object kept here if there is one, else {@code key}. */
    public RecordKey same(RecordKey key) {
        Use known = uses.get(key);
        return known == null ? key : known.key;
    }

    /** The keys below {@code prefix} that were used lately; forgets older ones. */
    public Set<RecordKey> below(RecordKey prefix) {
        long now = clock.getAsLong();
        uses.values().removeIf(use -> now - use.atNanos > lastsNanos);
        Set<RecordKey> keys = new HashSet<>();
        for (RecordKey key : uses.keySet()) {
            if (key.isBelow(prefix)) {
                keys.add(key);
            }
        }
        return keys;
    }
}
