package dev.mandate.peers.register;

import dev.mandate.spi.RecordKey;

/** What a voter wants done. */
public sealed interface VoterAction {

    /** Send to the sender of a {@link VoterEvent.Received}. */
    record Reply(long to, Message message) implements VoterAction {}

    /** Send to another voter. */
    record Tell(int voter, Message message) implements VoterAction {}

    /**
     * Write {@code state}, flush it to the disk, and confirm with {@link VoterEvent.Persisted}. Write in the order of
     * the sequences; of several that wait, only the last must be written, and confirms the others.
     */
    record Persist(long sequence, DurableState state) implements VoterAction {}

    /** This voter accepted another write at {@code key}: news for watchers, and no proof. */
    record Changed(RecordKey key, Value value) implements VoterAction {}
}
