package dev.mandate.engine;

import dev.mandate.spi.Id;
import java.util.function.Supplier;

/**
 * One uninterrupted leadership as the machine sees it: a number, the attempt that won it, and the cell that bounds it.
 * Once {@link #check} answers anything but {@code OPEN}, it never answers {@code OPEN} again.
 */
public final class Term {
    private final long number;
    private final Id attempt;
    private final LeaseCell cell;
    private volatile boolean ended;

    Term(long number, Id attempt, LeaseCell cell) {
        this.number = number;
        this.attempt = attempt;
        this.cell = cell;
    }

    /** The fencing token. */
    public long number() {
        return number;
    }

    /** The attempt that won this term. */
    public Id attempt() {
        return attempt;
    }

    /** The cell that bounds it; shared with other terms where one session keeps them all. */
    public LeaseCell cell() {
        return cell;
    }

    /** Whether it may be believed at the instant of {@code clock}. The one function behind every {@code isValid()}. */
    public LeaseCell.Verdict check(Supplier<Now> clock) {
        return ended ? LeaseCell.Verdict.LATCHED : cell.check(clock);
    }

    /** Time until it may no longer be believed unless renewed; 0 once ended. Does not latch. */
    public long remainingNanos(Now now) {
        return ended || cell.isLatched() ? 0 : cell.window().remainingNanos(now);
    }

    /** Whether the machine ended it. */
    public boolean isEnded() {
        return ended;
    }

    void end() {
        ended = true;
    }

    @Override
    public String toString() {
        return "term " + number;
    }
}
