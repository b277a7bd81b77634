package dev.mandate.engine;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one atomic place that says until when a lease may be believed. Whoever first sees its stop passed latches it, and a latched cell is
 * never extended again: belief that ended does not come back.
 *
 * <p>It belongs to whatever owns the deadline: one per session for all its terms, one per term where the lease is per record. Safe to use
 * from any thread; never blocks.
 */
public final class LeaseCell {
    /** null once latched. */
    private final AtomicReference<@Nullable LeaseWindow> window;

    /** A cell that is open until the stop of {@code first}. */
    public LeaseCell(LeaseWindow first) {
        this.window = new AtomicReference<>(first);
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
     * Looks at the clock and latches the cell if its stop has passed. The clock is read <em>after</em> the window, so that a thread that
     * was held up between the two errs to the safe side.
     */
    public Verdict check(Supplier<Now> clock) {
        while (true) {
            LeaseWindow seen = window.get();
            if (seen == null) {
                return Verdict.LATCHED;
            }
            if (!seen.isStopPassed(clock.get())) {
                return Verdict.OPEN;
            }
            if (window.compareAndSet(seen, null)) {
                return Verdict.LATCHED_NOW;
            }
        }
    }

    /** The window in force; null once latched. Says nothing about the present: see {@link #check}. */
    public @Nullable LeaseWindow window() {
        return window.get();
    }

    /**
     * Replaces the window by one from a later request. Void, and false, once latched; an older request than the one in force changes
     * nothing.
     */
    public boolean extend(LeaseWindow later) {
        while (true) {
            LeaseWindow seen = window.get();
            if (seen == null) {
                return false;
            }
            if (later.sentNanos() <= seen.sentNanos() || window.compareAndSet(seen, later)) {
                return true;
            }
        }
    }

    /** Ends it for good. Returns whether this call did. */
    public boolean latch() {
        return window.getAndSet(null) != null;
    }
}
