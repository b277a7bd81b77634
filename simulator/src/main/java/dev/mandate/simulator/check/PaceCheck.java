package dev.mandate.simulator.check;

import java.util.function.IntToLongFunction;

/** What failed is not tried again before its pause is over, which grows with failures in a row. */
public final class PaceCheck {
    private final Judge judge;
    private final String who;
    private final String does;
    private final IntToLongFunction pauses;
    private int failures;
    private long notBeforeNanos = Long.MIN_VALUE;

    /** {@code who} {@code does} something; {@code pauses} says how long the pause is, at the least, after so many failures in a row. */
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

    /** Whatever else is said, it is not tried before {@code untilNanos}. */
    public void pause(long untilNanos) {
        notBeforeNanos = Math.max(notBeforeNanos, untilNanos);
    }

    /** It may be tried from now on, though failures go on being counted. */
    public void permits() {
        notBeforeNanos = Long.MIN_VALUE;
    }

    /** The next failure is not in a row with those before. */
    public void calm() {
        failures = 0;
    }

    /** It succeeded, or is another thing now. */
    public void reset() {
        failures = 0;
        notBeforeNanos = Long.MIN_VALUE;
    }
}
