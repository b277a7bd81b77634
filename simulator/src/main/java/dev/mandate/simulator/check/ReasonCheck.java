package dev.mandate.simulator.check;

import dev.mandate.EndReason;

/** A term ends only for a reason that is true at that instant. */
public final class ReasonCheck {
    private static final int TRIES = 3;

    private final Judge judge;

    /** Reports to {@code judge}. */
    public ReasonCheck(Judge judge) {
        this.judge = judge;
    }

    /**
     * What is true when a term ends.
     *
     * @param commanded whether somebody told this client to end it
     * @param beliefOver whether belief is over by any clock, or its cell was latched for a cause
     * @param stands whether the store holds its attempt
     * @param sessionOver whether the store said that its session is over, or it certainly is
     * @param askedToLeave whether its record carries or carried the leave flag
     * @param unseen whether no look has shown its record for longer than allowed
     */
    public record Truth(
            boolean commanded,
            boolean beliefOver,
            boolean stands,
            boolean sessionOver,
            boolean askedToLeave,
            boolean unseen) {}

    /** A lease ran out although its process ran all the time. Three complete tries to renew it must fit before that. */
    public void ranOut(String who, int tries) {
        if (tries < TRIES) {
            judge.violated(Invariant.REASON, who + " let its lease run out after " + tries + " tries to renew it");
        }
    }

    /** A term ended for {@code reason}. */
    public void ended(String who, EndReason reason, Truth truth) {
        boolean justified = switch (reason) {
            case RESIGNED, WITHDRAWN, COMPLETED, FAILED, STALLED, UNHEALTHY -> truth.commanded;
            case EVICTED -> truth.askedToLeave;
            case LEASE_RAN_OUT -> truth.beliefOver;
            case DISPLACED, VANISHED -> !truth.stands;
            case SESSION_ENDED -> truth.sessionOver || truth.beliefOver;
            case UNSEEN -> truth.unseen;
        };
        if (!justified) {
            judge.violated(Invariant.REASON, who + " ends as '" + reason + "', which is not so: " + truth);
        }
    }
}
