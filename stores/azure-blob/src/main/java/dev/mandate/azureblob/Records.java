package dev.mandate.azureblob;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Excerpt;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.RecordJson;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Records in blobs: JSON in one metadata entry. A leased blob is held and any other is vacant, whatever it contains;
 * the record stays after a term, for its token.
 */
final class Records {
    /** The shortest lease that the service grants. */
    static final Duration LEASE_MIN = Duration.ofSeconds(15);
    /** The longest one. */
    static final Duration LEASE_MAX = Duration.ofSeconds(60);

    /** The metadata entry. */
    static final String ENTRY = "mandate";

    /** Shown for a lease holder that wrote no record. */
    private static final String UNNAMED = "(a lease without a record)";

    private Records() {}

    /** What a blob shows; {@code isStrangers} if the lease is known not to belong to the record. */
    static Observation observe(RecordKey key, Look look, boolean isStrangers) {
        Optional<LeaderRecord> record = record(look);
        if (!look.isLeased()) {
            return record.isPresent()
                    ? vacant(key, look.etag(), record.get().term())
                    : vacant(key, new FreeAt(look.etag(), 0, look.changedMillis()));
        }
        return record.isPresent() && !look.isForEver() && !isStrangers
                ? held(key, look, record.get())
                : foreign(key, look, record);
    }

    /** The term of our last record, if no candidate of ours has the lease; 0 if there is none. */
    static long term(Basis basis) {
        return basis instanceof FreeAt free ? free.term() : basis instanceof LeasedAt at ? at.strangersOver() : 0;
    }

    /** The length of the lease in the blob's record, capped at what the service grants. */
    static Duration leaseOfRecord(Look look) {
        Duration lease = record(look).map(LeaderRecord::lease).orElse(Duration.ZERO);
        return lease.compareTo(LEASE_MAX) > 0 ? LEASE_MAX : lease;
    }

    /** The lease id that belongs to the blob's record; empty if the record is not ours or the lease can't be. */
    static Optional<String> leaseToKeep(Look look) {
        return look.isLeased() && !look.isForEver() ? record(look).map(Records::lease) : Optional.empty();
    }

    static Observation.Vacant vacant(RecordKey key, String etag, long term) {
        return vacant(key, new FreeAt(etag, term, 0));
    }

    static Observation.Vacant vacant(RecordKey key, FreeAt free) {
        return Observation.vacant(key, free.isNowhere() ? FreeAt.NOWHERE : free);
    }

    /** The holder of a broken lease leads until it ends and can't renew it: shown as being asked to leave. */
    private static Observation.Held held(RecordKey key, Look look, LeaderRecord record) {
        boolean isBreaking = look.lease() == Look.Lease.BREAKING;
        return held(key, new LeasedAt(look.etag(), isBreaking, 0), isBreaking ? record.askedToLeave() : record);
    }

    static Observation.Held held(RecordKey key, String etag, LeaderRecord record) {
        return held(key, new LeasedAt(etag, false, 0), record);
    }

    private static Observation.Held held(RecordKey key, LeasedAt at, LeaderRecord record) {
        return Observation.held(key, at, new LeaseAlive(lease(record)), Math.max(1, record.term()), record);
    }

    private static Observation.Held foreign(RecordKey key, Look look, Optional<LeaderRecord> over) {
        String text = look.record().strip();
        String shown = text.isEmpty() || look.isForEver() || over.isPresent() ? UNNAMED : text;
        boolean isBreaking = look.lease() == Look.Lease.BREAKING;
        return Observation.foreign(
                key,
                new LeasedAt(
                        look.etag(), isBreaking, over.map(LeaderRecord::term).orElse(0L)),
                new LeaseAlive(look.etag()),
                1,
                Excerpt.of(shown, Excerpt.VALUE_MAX),
                null);
    }

    /** The record in the blob, if there is a valid one. */
    private static Optional<LeaderRecord> record(Look look) {
        return look.record().isEmpty() ? Optional.empty() : RecordJson.find(look.record());
    }

    static Map<String, String> metadata(LeaderRecord record) {
        return Map.of(ENTRY, HeaderText.of(RecordJson.write(record)));
    }

    /** The lease id of a record: its attempt. */
    static String lease(LeaderRecord record) {
        return new UUID(record.attempt().high(), record.attempt().low()).toString();
    }
}
