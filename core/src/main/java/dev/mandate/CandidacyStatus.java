package dev.mandate;

import java.util.Optional;

/**
 * The answer to "am I the leader?", at the instant of asking, with the reason. Do not keep it: ask again. Created by an
 * {@link Election}; later versions may add states.
 *
 * @param state what this client does in the election
 * @param reason why, for people
 * @param fencingToken the token of the term if, and only if, {@code state} is {@link State#LEADING}
 */
public record CandidacyStatus(State state, String reason, Optional<FencingToken> fencingToken) {

    /** What a client does in an election. */
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
        NOT_CAMPAIGNING
    }

    /** Whether this client led at the instant of asking: {@link Leadership#isValid()} was true. */
    public boolean isLeader() {
        return state == State.LEADING;
    }
}
