package dev.mandate.peers.register;

/** What happens to a voter. */
public sealed interface VoterEvent {

    /**
     * A message came.
     *
     * @param from means nothing here; comes back with the answer
     */
    record Received(long from, Message message) implements VoterEvent {}

    /** What {@link VoterAction.Persist} with this sequence asked for, and all before, is on the disk. */
    record Persisted(long sequence) implements VoterEvent {}

    /** It could not be written, or perhaps could: either may be read at the next start. */
    record PersistFailed(long sequence) implements VoterEvent {}

    /** Time passed. */
    record Tick() implements VoterEvent {}
}
