package dev.mandate.simulator.check;

import java.util.function.IntToLongFunction;

/** What failed is retried only after a pause, which grows with failures in a row. */
public final class PaceCheck {
    private final Judge judge;
    private final String who;
    private final String does;
    private final IntToLongFunction pauses;
    private int failures;
    private long notBeforeNanos = Long.MIN_VALUE;

    /** {@code who} {@code does} it; {@code pauses}: the least pause in nanoseconds after so many failures in a row. */
    public PaceCheck(String who, String does, IntToLongFunction pauses, Judge judge) {
        this.judge = judge;
        this.who = who;
        this.does = does;
        this.pauses = pauses;
    }

    /** It is tried. */
    public void tries(long nanos) {
        if (nanos < notBeforeNanos) {
            judge.violated(
                    Invariant.PACE,
                    who + " " + does + " " + (notBeforeNanos - nanos) / 1000 + " us before its pause is over"
                            + (failures > 0 ? ", after " + failures + " failures in a row" : ""));
        }
    }

    /** It failed. */
    public void failed(long nanos) {
        failures++;
        pause(nanos + pauses.applyAsLong(failures));
    }

    /** In any case, no try before {@code untilNanos}. */
    public void pause(long untilNanos) {
        notBeforeNanos = Math.max(notBeforeNanos, untilNanos);
    }

    /** Tries are allowed again, but failures are still counted. */
    public void permits() {
        notBeforeNanos = Long.MIN_VALUE;
    }

    /** The next failure counts as the first in a row. */
    public void calm() {
        failures = 0;
    }

    /** It succeeded, or its subject changed. */
    public void reset() {
        failures = 0;
        notBeforeNanos = Long.MIN_VALUE;
    }
}
