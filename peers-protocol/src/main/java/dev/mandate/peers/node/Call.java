package dev.mandate.peers.node;

import dev.mandate.peers.register.Epoch;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.RecordKey;

/** What a client asks of its node. */
public sealed interface Call {

    /** Read a key. Ends with {@link CallResult.Ended}. */
    record Read(RecordKey key) implements Call {}

    /** Take a key on a basis, {@link Epoch#NONE} for an empty key. Ends with {@link CallResult.Ended}. */
    record Acquire(RecordKey key, Epoch basis, LeaderRecord record) implements Call {}

    /** Replace a record. Ends with {@link CallResult.Ended}. */
    record Update(RecordKey key, Epoch basis, LeaderRecord record, Intent intent) implements Call {}

    /** Make a key vacant. Ends with {@link CallResult.Ended}. */
    record Release(RecordKey key, Epoch basis) implements Call {}

    /**
     * List the keys below a prefix. Ends with {@link CallResult.Listed}, or as an unknown outcome.
     *
     * @param after the path after which the page starts; empty for the beginning
     */
    record ListKeys(RecordKey prefix, String after) implements Call {}

    /** Ask all voters for their status. Ends with {@link CallResult.Asked}, at the deadline with the answers so far. */
    record AskStatus() implements Call {}
}
