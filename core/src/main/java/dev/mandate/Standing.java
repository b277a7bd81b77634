package dev.mandate;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to "am I the leader?", at the instant of asking, with the reason. Do not keep it: ask again.
 *
 * @param state the state of this client in the election
 * @param words the reason, for people
 * @param token the fencing token if, and only if, {@code state} is {@link State#LEADING}
 */
public record Standing(State state, String words, @Nullable FencingToken token) {

    /** The state of a client in an election. */
    public enum State {
        /** Leads, at the instant of asking. */
        LEADING,
        /** Holds the record, but does not announce itself until the settling time is over. */
        SETTLING,
        /** Follows, and would take a vacancy. */
        FOLLOWING,
        /** Tried to acquire; the outcome is unknown. */
        UNSURE,
        /** Its term is over; its work is being stopped, or the record being released. */
        STOPPING,
        /** Pauses before it campaigns again. */
        COOLING_DOWN,
        /** Work of an earlier term still runs; does not campaign until it has ended. */
        WAITING_FOR_OVERRUN,
        /** The store refuses until somebody changes something. */
        FAULTY,
        /** Does not campaign. */
        NOT_STANDING
    }

    /** The whole answer as a yes or no. */
    public boolean leading() {
        return state == State.LEADING;
    }

    /** The fencing token while leading. */
    public Optional<FencingToken> fencingToken() {
        return Optional.ofNullable(token);
    }
}
