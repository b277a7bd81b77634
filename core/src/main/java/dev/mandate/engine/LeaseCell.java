package dev.mandate.engine;

import dev.mandate.EndReason;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one atomic place that says until when a lease may be believed. The first to see its stop passed latches it, and a
 * latched cell is never extended again: belief that ended does not come back.
 *
 * <p>It belongs to the owner of the deadline: one per session for all its terms, one per term where each record has its
 * lease. Safe for use from any thread; never blocks.
 */
public final class LeaseCell {
    /**
     * The contents of a cell.
     *
     * @param over why it was latched, or null
     * @param passedNanos when its stop was found passed; {@code Long.MIN_VALUE} if it was not
     */
    private record State(LeaseWindow window, @Nullable EndReason over, long passedNanos) {
        State(LeaseWindow window, @Nullable EndReason over) {
            this(window, over, Long.MIN_VALUE);
        }

        boolean isLatched() {
            return over != null;
        }
    }

    private final AtomicReference<State> state;
    private volatile @Nullable Waiter waiter;

    /** A cell that is open until the stop of {@code first}. */
    public LeaseCell(LeaseWindow first) {
        this.state = new AtomicReference<>(new State(first, null));
    }

    /** Waits for the stop of a cell. */
    @FunctionalInterface
    public interface Waiter {
        /** The stop may have come. Called on the thread that caused it, which this must not block. */
        void lookAgain();
    }

    /** The result of {@link #check}. */
    public enum Verdict {
        /** May be believed. */
        OPEN,
        /** Over, and this very call was the first to see it: tell the machine. */
        LATCHED_NOW,
        /** Over, as was already known. */
        LATCHED
    }

    /**
     * Reads the clock and latches the cell if its stop has passed. It reads the clock <em>after</em> the window, so
     * that a pause between the two errs on the safe side.
     */
    public Verdict check(Supplier<Now> clock) {
        while (true) {
            State seen = current();
            if (seen.isLatched()) {
                return Verdict.LATCHED;
            }
            Now now = clock.get();
            if (!seen.window.isStopPassed(now)) {
                return Verdict.OPEN;
            }
            State over = new State(seen.window, EndReason.LEASE_RAN_OUT, now.monotonicNanos());
            if (state.compareAndSet(seen, over)) {
                return Verdict.LATCHED_NOW;
            }
        }
    }

    /** Whether it may be believed at {@code now}; latches it if not. For the loop, with one clock reading per event. */
    boolean isOpenAt(Now now) {
        return check(() -> now) == Verdict.OPEN;
    }

    /** The window in force, or last in force. Says nothing about the present: see {@link #check}. */
    public LeaseWindow window() {
        return current().window;
    }

    /** Whether it was latched. An unlatched cell may be over, too: see {@link #check}. */
    public boolean isLatched() {
        return current().isLatched();
    }

    /**
     * When {@link #check} found that its stop had passed, on the caller's monotonic clock; {@code Long.MIN_VALUE} if
     * something else ended it.
     */
    long passedNanos() {
        return current().passedNanos;
    }

    /**
     * Why it was latched; {@link EndReason#LEASE_RAN_OUT} if it was not. All who report the end use
     * this, so they agree.
     */
    public EndReason reason() {
        EndReason over = current().over;
        return over == null ? EndReason.LEASE_RAN_OUT : over;
    }

    /**
     * From now on tells {@code who} of every new window that may stop before the one it replaces, and when {@link
     * #latch} ends the cell. Replaces an earlier waiter.
     */
    public void tell(Waiter who) {
        waiter = who;
    }

    private void tellWaiter() {
        Waiter who = waiter;
        if (who != null) {
            who.lookAgain();
        }
    }

    /**
     * Replaces the window by that of a later request; an older request changes nothing. False, without
     * effect, once latched.
     */
    public boolean extend(LeaseWindow later) {
        while (true) {
            State seen = current();
            if (seen.isLatched()) {
                return false;
            }
            if (later.sentNanos() <= seen.window.sentNanos()) {
                return true;
            }
            if (state.compareAndSet(seen, new State(later, null))) {
                if (later.mayStopBefore(seen.window)) {
                    tellWaiter();
                }
                return true;
            }
        }
    }

    /** Ends it for good, because the lease is over or must not be used any more. Idempotent. */
    public void latch() {
        latch(EndReason.LEASE_RAN_OUT);
    }

    /** Ends it for good. Idempotent: the first reason stays. */
    void latch(EndReason why) {
        for (State seen = current(); !seen.isLatched(); seen = current()) {
            if (state.compareAndSet(seen, new State(seen.window, why))) {
                tellWaiter();
            }
        }
    }

    private State current() {
        return Objects.requireNonNull(state.get());
    }
}
