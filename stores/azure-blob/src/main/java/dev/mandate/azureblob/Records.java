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
 * How records stand in blobs: as JSON in one entry of the blob's metadata. A blob with a lease is held, one without is vacant, whatever stands
 * in it; the record stays after a term, for its token.
 */
final class Records {
    /** The entry of the metadata. */
    static final String ENTRY = "mandate";

    /** Who has a lease and wrote no record has no name. */
    private static final String UNNAMED = "(a lease without a record)";

    private Records() {}

    /** What a look shows; {@code isStrangers} if the lease is known not to be that of the record. */
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

    /** The term of the last record of ours, where none of ours has the lease; 0 if there is none. */
    static long term(Basis basis) {
        return basis instanceof FreeAt free ? free.term() : basis instanceof LeasedAt at ? at.strangersOver() : 0;
    }

    /** How long a lease of the record that stands there would be; at most what the service grants. */
    static Duration leaseOfRecord(Look look) {
        Duration lease = record(look).map(LeaderRecord::lease).orElse(Duration.ZERO);
        return lease.compareTo(AzureBlobElectionStore.LEASE_MAX) > 0 ? AzureBlobElectionStore.LEASE_MAX : lease;
    }

    /** The lease that would keep the record that stands there; empty if that is none of ours, or no such lease is. */
    static Optional<String> leaseToKeep(Look look) {
        return look.isLeased() && !look.isForEver() ? record(look).map(Records::lease) : Optional.empty();
    }

    static Observation.Vacant vacant(RecordKey key, String etag, long term) {
        return vacant(key, new FreeAt(etag, term, 0));
    }

    static Observation.Vacant vacant(RecordKey key, FreeAt free) {
        return Observation.vacant(key, free.isNowhere() ? FreeAt.NOWHERE : free);
    }

    /** Who has a lease that was broken leads on until it is over, and can't renew it: told as what it is, being asked to leave. */
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

    /** The record, if what stands there is one. */
    private static Optional<LeaderRecord> record(Look look) {
        if (look.record().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(RecordJson.read(look.record()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static Map<String, String> metadata(LeaderRecord record) {
        return Map.of(ENTRY, HeaderText.of(RecordJson.write(record)));
    }

    /** The lease that keeps a record: that of its attempt. */
    static String lease(LeaderRecord record) {
        return new UUID(record.attempt().high(), record.attempt().low()).toString();
    }
}
