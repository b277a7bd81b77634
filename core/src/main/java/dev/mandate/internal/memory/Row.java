package dev.mandate.internal.memory;

import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a {@link ModelStore} keeps at one key. */
final class Row {
    final RecordKey key;
    /** The key's text form, made once: the order of listings. */
    final String path;

    /** The revision of the last write; never the same twice. */
    long version;
    /** The revision of the last renewal, where each record is renewed on its own. */
    long renewedAt;
    /** The token of the last record, where tokens come from the clock. */
    long token;

    @Nullable
    LeaderRecord record;

    @Nullable
    String foreign;

    @Nullable
    Duration foreignLease;
    /** Keeps the record alive; null if nothing has to. */
    @Nullable
    Lease lease;

    /** The lease that somebody took of the vacant key before writing the record; {@link #claimant} is the attempt. */
    @Nullable
    Lease claim;

    @Nullable
    Id claimant;

    long lockedUntilNanos = Long.MIN_VALUE;

    /** What was last shown, and while what it remains right. */
    @Nullable
    Observation shown;

    long shownVersion;
    long shownLeaseVersion;

    Row(RecordKey key, String path) {
        this.key = key;
        this.path = path;
    }

    /** Whether nobody holds it: there is no record, or what kept it alive is over. */
    boolean isVacant() {
        return (record == null && foreign == null) || (lease != null && lease.isOver);
    }

    /** Whether another attempt has claimed this row. */
    boolean isClaimedByOthers(Id attempt) {
        return claim != null && !attempt.equals(claimant);
    }

    void clear(long newVersion) {
        version = newVersion;
        record = null;
        foreign = null;
        foreignLease = null;
        lease = null;
        claim = null;
        claimant = null;
        lockedUntilNanos = Long.MIN_VALUE;
    }
}
