package dev.mandate.peers.register;

import dev.mandate.spi.RecordKey;

/** What a voter wants done. */
public sealed interface VoterAction {

    /** Send to whom a {@link VoterEvent.Received} came from. */
    record Reply(long to, Message message) implements VoterAction {}

    /** Send to another voter. */
    record Tell(int voter, Message message) implements VoterAction {}

    /**
     * Write {@code state}, flush it to the disk, and confirm with {@link VoterEvent.Persisted}. In the order of the
     * sequences; of several that wait, all but the last may be skipped and are confirmed with it.
     */
    record Persist(long sequence, DurableState state) implements VoterAction {}

    /**
     * Something else stands at {@code key}, as far as this voter knows: news for those who watch, and no proof.
     */
    record Changed(RecordKey key, Value value) implements VoterAction {}
}
