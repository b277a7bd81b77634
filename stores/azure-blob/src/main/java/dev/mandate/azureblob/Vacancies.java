package dev.mandate.azureblob;

import dev.mandate.spi.RecordKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The versions at which blobs were seen without a lease. Whoever takes a lease changes nothing about the version until the record is written, so
 * a lease at such a version is one whose holder is about to write: what stands there is of the term before. So is, most likely, the lease of a
 * blob without any record: one made just now. Where it turns out otherwise, that is remembered, too. Thread-safe.
 */
final class Vacancies {
    /** Of more keys than this the eldest are forgotten: then hints show the former record for a moment. */
    private static final int KEYS_MAX = 10_000;

    private static final class ByKey<V> extends LinkedHashMap<RecordKey, V> {
        private static final long serialVersionUID = 1L;

        ByKey() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<RecordKey, V> eldest) {
            return size() > KEYS_MAX;
        }
    }

    /**
     * A version, and since when somebody has its lease who wrote no record.
     *
     * @param isFirst whether nothing of the key was seen here before
     */
    private record Taken(String etag, long sinceNanos, boolean isFirst) {}

    private final LongSupplier clock;

    private final Map<RecordKey, String> free = new ByKey<>();

    /** Those of which anything else was seen, by a read or by the watch. */
    private final Map<RecordKey, Boolean> known = new ByKey<>();

    private final Map<RecordKey, Taken> taken = new ByKey<>();

    private record Led(String etag, String lease) {}

    /** The lease of the record, where the last read found it to be that. */
    private final Map<RecordKey, Led> led = new ByKey<>();

    /** At which somebody keeps a lease without writing a record. */
    private final Map<RecordKey, String> kept = new ByKey<>();

    /** {@code clock} is monotonic, in nanoseconds. */
    Vacancies(LongSupplier clock) {
        this.clock = clock;
    }

    /** {@code key} was seen like this. */
    synchronized void saw(RecordKey key, Look look) {
        known.put(key, true);
        if (!look.isLeased() && !look.etag().isEmpty()) {
            free.put(key, look.etag());
            led.remove(key);
            taken.remove(key);
            kept.remove(key);
        } else if (!isTaken(key, look)) {
            free.remove(key);
        }
    }

    /** Somebody here takes it for free at this version, which may have been seen a while ago. */
    synchronized void believes(RecordKey key, String etag) {
        known.put(key, true);
        free.put(key, etag);
    }

    /** The lease is this one, that of the record. */
    synchronized void isLed(RecordKey key, Look look, String lease) {
        known.put(key, true);
        led.put(key, new Led(look.etag(), lease));
        free.remove(key);
        taken.remove(key);
        kept.remove(key);
    }

    /** The lease that was that of the record; empty if that is not known. */
    synchronized String ledBy(RecordKey key) {
        Led now = led.get(key);
        return now == null ? "" : now.lease;
    }

    /** The lease is not that one any more: nobody had it at that version for a moment at least, whatever is there now. */
    synchronized void isOver(RecordKey key, String lease) {
        Led before = led.get(key);
        if (before != null && before.lease.equals(lease)) {
            led.remove(key);
            free.put(key, before.etag);
        }
    }

    /** Whether this shows a lease whose holder has not written its record yet, as far as a look can tell. */
    synchronized boolean isTaken(RecordKey key, Look look) {
        return look.isLeased()
                && !look.isForEver()
                && (look.record().isEmpty() || wasFree(key, look))
                && !isKept(key, look);
    }

    /** Whether it had no lease at this version when it was last seen without this one. */
    synchronized boolean wasFree(RecordKey key, Look look) {
        return look.etag().equals(free.get(key));
    }

    /** For how long it is known already that the lease at this version is not that of the record. */
    synchronized long takenNanos(RecordKey key, Look look) {
        led.remove(key);
        long now = clock.getAsLong();
        Taken before = taken.get(key);
        if (before == null || !before.etag.equals(look.etag())) {
            taken.put(key, new Taken(look.etag(), now, !known.containsKey(key)));
            known.put(key, true);
            return 0;
        }
        return now - before.sinceNanos;
    }

    /** Whether that was the first that was seen of the key here. */
    synchronized boolean isFirst(RecordKey key, Look look) {
        Taken now = taken.get(key);
        return now != null && now.etag.equals(look.etag()) && now.isFirst;
    }

    /** The lease at this version is one that somebody keeps, after all. */
    synchronized void keeps(RecordKey key, Look look) {
        free.remove(key);
        taken.remove(key);
        kept.put(key, look.etag());
    }

    /** Whether the lease is one that somebody keeps without a record of ours. */
    synchronized boolean isKept(RecordKey key, Look look) {
        return look.isLeased() && look.etag().equals(kept.get(key));
    }
}
