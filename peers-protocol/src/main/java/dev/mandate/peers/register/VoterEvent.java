package dev.mandate.peers.register;

/** What happens to a voter. */
public sealed interface VoterEvent {

    /**
     * A message came.
     *
     * @param from has no meaning here; returned with the answer
     */
    record Received(long from, Message message) implements VoterEvent {}

    /** The state of the {@link VoterAction.Persist} with this sequence, and all before it, is on the disk. */
    record Persisted(long sequence) implements VoterEvent {}

    /** Writing that state failed, or perhaps did not: the next start may read either. */
    record PersistFailed(long sequence) implements VoterEvent {}

    /** Time passed. */
    record Tick() implements VoterEvent {}
}
