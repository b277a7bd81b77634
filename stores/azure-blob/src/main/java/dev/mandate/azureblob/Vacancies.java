package dev.mandate.azureblob;

import dev.mandate.spi.RecordKey;
import dev.mandate.support.BoundedMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The versions at which blobs were seen without a lease. Taking a lease does not change the version; writing the record
 * does. So the holder of a lease at such a version has yet to write its record, and the record in the blob is of the
 * term before. The same is likely for a leased blob without any record: it was just created. Leases for which this
 * proves wrong are remembered, too. Thread-safe.
 */
final class Vacancies {
    /** Beyond this, the least recently used keys are forgotten: then hints may briefly show the former record. */
    private static final int KEYS_MAX = 10_000;

    /**
     * A version, and since when it has been leased without a new record.
     *
     * @param isFirst whether the key was never seen here before
     */
    private record Taken(String etag, long sinceNanos, boolean isFirst) {}

    private final LongSupplier clock;

    private final Map<RecordKey, String> free = new BoundedMap<>(KEYS_MAX);

    /** Keys that a read or the watch has seen. */
    private final Map<RecordKey, Boolean> known = new BoundedMap<>(KEYS_MAX);

    private final Map<RecordKey, Taken> taken = new BoundedMap<>(KEYS_MAX);

    private record Led(String etag, String lease) {}

    /** The version and the record's lease, if the last read confirmed that the record is its holder's. */
    private final Map<RecordKey, Led> led = new BoundedMap<>(KEYS_MAX);

    /** Versions at which a foreign holder keeps the lease without writing a record. */
    private final Map<RecordKey, String> kept = new BoundedMap<>(KEYS_MAX);

    /** Uses a monotonic clock, in nanoseconds. */
    Vacancies(LongSupplier clock) {
        this.clock = clock;
    }

    /** Notes what a blob showed. */
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

    /** A candidate here bases an acquire on this version being free, as seen perhaps a while ago. */
    synchronized void believes(RecordKey key, String etag) {
        known.put(key, true);
        free.put(key, etag);
    }

    /** The lease is {@code lease}, that of the record. */
    synchronized void isLed(RecordKey key, Look look, String lease) {
        known.put(key, true);
        led.put(key, new Led(look.etag(), lease));
        free.remove(key);
        taken.remove(key);
        kept.remove(key);
    }

    /** The lease last confirmed as that of the record; empty if none. */
    synchronized String ledBy(RecordKey key) {
        Led now = led.get(key);
        return now == null ? "" : now.lease;
    }

    /** The blob no longer has that lease: the version was free for at least a moment, whatever it shows now. */
    synchronized void isOver(RecordKey key, String lease) {
        Led before = led.get(key);
        if (before != null && before.lease.equals(lease)) {
            led.remove(key);
            free.put(key, before.etag);
        }
    }

    /** Whether the lease's holder has not written its record yet, as far as a read can tell. */
    synchronized boolean isTaken(RecordKey key, Look look) {
        return look.isLeased()
                && !look.isForEver()
                && (look.record().isEmpty() || wasFree(key, look))
                && !isKept(key, look);
    }

    /** Whether the blob was seen without a lease at this version. */
    synchronized boolean wasFree(RecordKey key, Look look) {
        return look.etag().equals(free.get(key));
    }

    /** How long the lease at this version has been known not to belong to the record. */
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

    /** Whether this client first saw the key in that state. */
    synchronized boolean isFirst(RecordKey key, Look look) {
        Taken now = taken.get(key);
        return now != null && now.etag.equals(look.etag()) && now.isFirst;
    }

    /** The lease at this version turned out to be kept by another program. */
    synchronized void keeps(RecordKey key, Look look) {
        free.remove(key);
        taken.remove(key);
        kept.put(key, look.etag());
    }

    /** Whether the lease is kept by another program, without a record of ours. */
    synchronized boolean isKept(RecordKey key, Look look) {
        return look.isLeased() && look.etag().equals(kept.get(key));
    }
}
