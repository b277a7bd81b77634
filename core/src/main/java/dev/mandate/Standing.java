package dev.mandate;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to "am I the leader?", at the instant it was asked, with the reason beside it. Do not keep it: ask again.
 *
 * @param state where this client stands in the election
 * @param words the reason, for people
 * @param token the fencing token if, and only if, {@code state} is {@link State#LEADING}
 */
public record Standing(State state, String words, @Nullable FencingToken token) {

    /** Where a client stands in an election. */
    public enum State {
        /** Leads, at the instant of asking. */
        LEADING,
        /** Holds the record, but does not announce itself before the settling time is over. */
        SETTLING,
        /** Follows; would take a vacancy. */
        FOLLOWING,
        /** Asked for the lead and does not know the answer. */
        UNSURE,
        /** Its term is over; its work is being stopped, or the record being released. */
        STOPPING,
        /** Pauses before standing again. */
        COOLING_DOWN,
        /** Work of an earlier term still runs; does not stand until it has ended. */
        WAITING_FOR_OVERRUN,
        /** The store refuses, and will until somebody changes something. */
        FAULTY,
        /** Does not stand. */
        NOT_STANDING
    }

    /** The whole answer for those who only want a yes or no. */
    public boolean leading() {
        return state == State.LEADING;
    }

    /** The fencing token while leading. */
    public Optional<FencingToken> fencingToken() {
        return Optional.ofNullable(token);
    }
}
