package dev.mandate.peers.register;

import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The content of a key: one write. Never changes: a call that completes another's write repeats it as it is.
 *
 * @param write the write: the epoch in which it was first proposed
 * @param basis the write that it replaced; {@link Epoch#NONE} for nothing
 * @param liveness the last write that renewed the lease: this one, or the one that this one carried over
 * @param record null for vacant
 */
public record Value(
        Epoch write, Epoch basis, Epoch liveness, @Nullable LeaderRecord record) {
    public Value {
        Objects.requireNonNull(write, "write");
        Objects.requireNonNull(basis, "basis");
        Objects.requireNonNull(liveness, "liveness");
    }

    /** How the engine sees {@code current}, null for nothing. */
    public static Observation observation(RecordKey key, @Nullable Value current) {
        if (current == null) {
            return Observation.vacant(key, new WriteId(Epoch.NONE));
        }
        LeaderRecord record = current.record;
        WriteId basis = new WriteId(current.write);
        return record == null
                ? Observation.vacant(key, basis)
                : Observation.held(key, basis, new RenewalId(current.liveness), Math.max(1, record.term()), record);
    }
}
