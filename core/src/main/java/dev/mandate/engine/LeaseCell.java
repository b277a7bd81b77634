package dev.mandate.engine;

import dev.mandate.LossReason;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one atomic place that says until when a lease may be believed. Whoever first sees its stop passed latches it, and a latched
 * cell is never extended again: belief that ended does not come back.
 *
 * <p>It belongs to whatever owns the deadline: one per session for all its terms, one per term where the lease is per record. Safe to
 * use from any thread; never blocks.
 */
public final class LeaseCell {
    /**
     * @param over why it was latched, or null
     * @param passedNanos when its stop was found passed; {@code Long.MIN_VALUE} if it was not
     */
    private record State(LeaseWindow window, @Nullable LossReason over, long passedNanos) {
        State(LeaseWindow window, @Nullable LossReason over) {
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

    /** Whoever waits for the stop of a cell. */
    @FunctionalInterface
    public interface Waiter {
        /** It may have come. On the thread that brought it about, which this must not block. */
        void lookAgain();
    }

    /** What {@link #check} found. */
    public enum Verdict {
        /** May be believed. */
        OPEN,
        /** Over, and this very call was the first to see it: tell the machine. */
        LATCHED_NOW,
        /** Over, as was known. */
        LATCHED
    }

    /**
     * Looks at the clock and latches the cell if its stop has passed. The clock is read <em>after</em> the window, so that a thread
     * that was held up between the two errs to the safe side.
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
            State over = new State(seen.window, LossReason.LEASE_RAN_OUT, now.monotonicNanos());
            if (state.compareAndSet(seen, over)) {
                return Verdict.LATCHED_NOW;
            }
        }
    }

    /** Whether it may be believed at {@code now}; latches it if not. For the loop, which reads the clock once per event. */
    boolean isOpenAt(Now now) {
        return check(() -> now) == Verdict.OPEN;
    }

    /** The window in force, or last in force. Says nothing about the present: see {@link #check}. */
    public LeaseWindow window() {
        return current().window;
    }

    /** Whether it has been latched. An unlatched cell may be over all the same: see {@link #check}. */
    public boolean isLatched() {
        return current().isLatched();
    }

    /**
     * When {@link #check} found that its stop had passed, on the monotonic clock of whoever called; {@code Long.MIN_VALUE} if it was not that which
     * ended it.
     */
    long passedNanos() {
        return current().passedNanos;
    }

    /** Why it was latched; {@link LossReason#LEASE_RAN_OUT} if it was not. Whoever tells of the end says this, and so all say the same. */
    public LossReason reason() {
        LossReason over = current().over;
        return over == null ? LossReason.LEASE_RAN_OUT : over;
    }

    /**
     * From now on {@code who} is told whenever a window comes into force that may stop before the one it replaces, and when {@link #latch} ends the
     * cell. It replaces whoever was to be told before.
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
     * Replaces the window by one from a later request. Void, and false, once latched; an older request than the one in force changes
     * nothing.
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
        latch(LossReason.LEASE_RAN_OUT);
    }

    /** Ends it for good. Idempotent: the first reason stays. */
    void latch(LossReason why) {
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
