package dev.mandate.engine;

/**
 * How long one confirmed grant may be believed, counted from when the request was <em>sent</em>, on both clocks: whichever of
 * them says "over" first is right. (A suspended machine's monotonic clock stands still; its wall clock does not.)
 *
 * @param sentNanos monotonic clock at the send
 * @param sentMillis wall clock at the send
 * @param stopNanos how long after the send {@code isValid()} becomes false and draining begins
 * @param endNanos how long after the send nothing of ours may run any more; at least {@code stopNanos}
 */
public record LeaseWindow(long sentNanos, long sentMillis, long stopNanos, long endNanos) {
    private static final long MILLI = 1_000_000L;
    private static final long WALL_MILLIS_MAX = Long.MAX_VALUE / MILLI - 1;

    /** Whether draining must have begun: {@code isValid()} is false from here on. */
    public boolean isStopPassed(Now now) {
        return elapsedNanos(now) >= stopNanos;
    }

    /** Whether the deadline has passed: what still runs is an overrun. */
    public boolean isEndPassed(Now now) {
        return elapsedNanos(now) >= endNanos;
    }

    /** Time until {@link #isStopPassed}, never negative. */
    public long remainingNanos(Now now) {
        return Math.max(0, stopNanos - elapsedNanos(now));
    }

    /** Time until {@link #isEndPassed}, never negative. */
    public long endRemainingNanos(Now now) {
        return Math.max(0, endNanos - elapsedNanos(now));
    }

    /** How long work may take to stop. */
    public long drainNanos() {
        return endNanos - stopNanos;
    }

    /** When {@link #isStopPassed} turns true on the monotonic clock, if the wall clock does not step. */
    public long stopAtNanos() {
        return sentNanos + stopNanos;
    }

    /**
     * From when on {@link #isStopPassed} is sure to be true, on the monotonic clock, if from {@code now} on neither clock stands still or steps. The
     * wall clock is read in whole milliseconds: its next one may be that far away.
     */
    public long stopAtNanos(Now now) {
        long wallMillis = now.wallMillis() - sentMillis;
        if (wallMillis <= 0) {
            return stopAtNanos();
        }
        long stopMillis = (stopNanos + MILLI - 1) / MILLI;
        long leftMillis = Math.max(0, stopMillis - 1 - Math.min(wallMillis, stopMillis));
        return Math.min(stopAtNanos(), now.monotonicNanos() + leftMillis * MILLI);
    }

    /** Whether its stop comes before that of {@code other} on one of the clocks, if they go on as they do. */
    boolean mayStopBefore(LeaseWindow other) {
        return stopAtNanos() < other.stopAtNanos()
                || sentMillis + stopNanos / MILLI < other.sentMillis + other.stopNanos / MILLI;
    }

    /** When {@link #isEndPassed} turns true on the monotonic clock, if the wall clock does not step. */
    public long endAtNanos() {
        return sentNanos + endNanos;
    }

    /**
     * The longer of the times both clocks measured since the send. Two truncated readings of the wall clock can hide up to a
     * millisecond between them, so one is added as soon as it has moved at all.
     */
    private long elapsedNanos(Now now) {
        long monotonic = now.monotonicNanos() - sentNanos;
        long wallMillis = now.wallMillis() - sentMillis;
        if (wallMillis <= 0) {
            return monotonic;
        }
        return Math.max(monotonic, wallMillis >= WALL_MILLIS_MAX ? Long.MAX_VALUE : (wallMillis + 1) * MILLI);
    }
}
