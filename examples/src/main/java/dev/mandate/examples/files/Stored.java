package dev.mandate.examples.files;

import dev.mandate.spi.Basis;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import org.jspecify.annotations.Nullable;

/**
 * What the file of a key says.
 *
 * @param version the number of the last write
 * @param renewal the number of the last write that renewed the lease
 * @param record null once it was released
 */
record Stored(long version, long renewal, @Nullable LeaderRecord record) {
    /** There is no file. */
    static final Stored NOTHING = new Stored(0, 0, null);

    private record Version(long number) implements Basis {}

    private record Renewal(long number) implements Liveness {}

    Observation observed(RecordKey key) {
        Version basis = new Version(version);
        return record == null
                ? Observation.vacant(key, basis)
                : Observation.held(key, basis, new Renewal(renewal), version, record);
    }
}
