package dev.mandate.engine;

import dev.mandate.spi.Observation;
import org.jspecify.annotations.Nullable;

/**
 * What a machine tells observers.
 *
 * @param state what is known
 * @param held the leader's record where {@code state} is {@code LED}, else null
 * @param verified whether the leader is known to be alive; see {@link dev.mandate.Leader#verified()}
 */
public record View(State state, Observation.@Nullable Held held, boolean verified) {
    /** Nothing is known, or no longer. */
    public static final View UNKNOWN = new View(State.UNKNOWN, null, false);

    /** Nobody leads. */
    public static final View VACANT = new View(State.VACANT, null, true);

    /** What is known. */
    public enum State {
        /** The store has not answered for too long, or never did. */
        UNKNOWN,
        /** Nobody leads: the key is free, or its holder was seen dead for a full lease. */
        VACANT,
        /** Somebody leads. */
        LED
    }

    static View led(Observation.Held held, boolean verified) {
        return new View(State.LED, held, verified);
    }

    /** Whether {@code other} tells people the same: state, attempt, term, value and flags. */
    boolean tellsTheSameAs(View other) {
        if (state != other.state || verified != other.verified) {
            return false;
        }
        if (held == null || other.held == null || held == other.held) {
            return held == other.held;
        }
        if (held.isForeign() || other.held.isForeign()) {
            return held.isForeign() == other.held.isForeign() && held.shown().equals(other.held.shown());
        }
        return held.term() == other.held.term()
                && held.record().attempt().equals(other.held.record().attempt())
                && held.record().leave() == other.held.record().leave()
                && held.record().value().equals(other.held.record().value());
    }
}
