package dev.mandate.peers.register;

import java.util.Optional;

/** What a voter found on its disk when it started. */
public sealed interface Recall {

    /** The state, if it is usable. */
    default Optional<DurableState> state() {
        return this instanceof Intact intact ? Optional.of(intact.found) : Optional.empty();
    }

    /** Nothing. */
    record Missing() implements Recall {}

    /**
     * Something that is no state.
     *
     * @param why one sentence for people
     */
    record Damaged(String why) implements Recall {}

    /** The state, perhaps an old one. */
    record Intact(DurableState found) implements Recall {}
}
