package dev.mandate.engine;

import dev.mandate.EndReason;
import dev.mandate.spi.Observation;
import dev.mandate.spi.WriteOutcome;

/** What can happen to one election. No event may throw in any role. */
public sealed interface ElectionEvent {

    /** Time has passed: sent at {@link ElectionMachine#wakeAtNanos()}. */
    enum Tick implements ElectionEvent {
        INSTANCE
    }

    /**
     * Command: campaign, and publish {@code value} when elected. Ignored while campaigning; waits for a
     * withdrawal under way.
     */
    record Campaign(String value) implements ElectionEvent {}

    /**
     * Command: stop campaigning. If leading, the term ends for {@code reason} and is released once the work has
     * stopped. Announced once, with {@link ElectionAction.Withdrawn}.
     */
    record Withdraw(EndReason reason) implements ElectionEvent {}

    /**
     * Command: end the term numbered {@code term} for {@code reason}, then campaign again after the cool-down. Ignored
     * for any other term.
     */
    record Resign(long term, EndReason reason) implements ElectionEvent {}

    /**
     * Command: replace the published value of the term; answered by {@link ElectionAction.Proclaimed} with the same
     * number. A registration's next attempt also publishes that value, whether or not the term lasts.
     */
    record Proclaim(long command, long term, String value) implements ElectionEvent {}

    /** Command: follow who leads, or stop following. */
    record Observe(boolean on) implements ElectionEvent {}

    /** The work of {@code term} has ended, whatever ended it. */
    record WorkStopped(long term) implements ElectionEvent {}

    /** A read was answered. */
    record ReadAnswered(long request, Observation observation) implements ElectionEvent {}

    /** A write was answered; a late answer is still delivered. */
    record WriteAnswered(long request, WriteOutcome outcome) implements ElectionEvent {}

    /** A request failed: what it did is unknown. */
    record Unanswered(long request) implements ElectionEvent {}

    /** A request failed and will until somebody changes something; what it did is unknown. */
    record Faulted(long request, String message) implements ElectionEvent {}

    /**
     * A listing of many records, requested at {@code askedAtNanos} on the monotonic clock, showed this one; or none at
     * this key ({@code observation} null: then the machine reads it itself).
     */
    record Swept(
            long askedAtNanos,
            @org.jspecify.annotations.Nullable Observation observation) implements ElectionEvent {}

    /** The listing failed, or did not reach this key: the machine reads it itself until a listing does. */
    enum NotSwept implements ElectionEvent {
        INSTANCE
    }

    /** A watch showed this. Never a proof. */
    record Hinted(Observation observation) implements ElectionEvent {}

    /** A watch may have missed something. */
    enum Gap implements ElectionEvent {
        INSTANCE
    }

    /** This client's place for the vacancy it sees: how many try before it. Dropped while it sees none. */
    record Placed(int place) implements ElectionEvent {}

    /** Another session can carry this election's next attempt. */
    record SessionUp(SessionLease session) implements ElectionEvent {}

    /** {@code session} may no longer be believed; its records may still exist. */
    record SessionLatched(SessionLease session) implements ElectionEvent {}

    /** {@code session} is over in the store: nothing written under it counts any more. */
    record SessionOver(SessionLease session) implements ElectionEvent {}

    /** Code outside the machine saw the stop of this term's own cell pass, and latched it. */
    record TermLatched(long term) implements ElectionEvent {}
}
