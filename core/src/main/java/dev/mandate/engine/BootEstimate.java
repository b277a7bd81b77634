package dev.mandate.engine;

/**
 * Time since boot, suspensions included, estimated from the wall clock: for machines without a clock for it. Immutable.
 *
 * <p>What the wall clock gains on the monotonic one counts as a suspension. What it loses does not count, and what it
 * gains afterwards counts in full. So setting the wall clock back hides no suspension, if the clocks are read between
 * the two: read them often.
 *
 * @param changedNanos when the estimate last changed, on the monotonic clock
 * @param aheadNanos how far, at least, the wall clock was ahead of the monotonic one by then
 * @param asleepNanos how long the machine was suspended until then
 */
public record BootEstimate(long changedNanos, long aheadNanos, long asleepNanos) {
    private static final long MILLI = 1_000_000L;

    /** Smaller differences are noise: the wall clock is read in whole milliseconds. */
    private static final long NOISE_NANOS = 3 * MILLI;

    /** The first reading of the clocks. */
    public static BootEstimate begin(long monotonicNanos, long wallMillis) {
        return new BootEstimate(monotonicNanos, wallMillis * MILLI - monotonicNanos, 0);
    }

    /**
     * Another reading.
     *
     * @param beforeNanos the monotonic clock, read before the wall clock
     * @param wallMillis the wall clock
     * @param afterNanos the monotonic clock, read after the wall clock
     * @return this, unless the clocks have run apart
     */
    public BootEstimate look(long beforeNanos, long wallMillis, long afterNanos) {
        if (beforeNanos - changedNanos < 0) {
            // Another thread has read later, perhaps a wall clock that was set meanwhile.
            return this;
        }
        // The thread may have paused between the readings, so the truth lies between these two.
        long least = wallMillis * MILLI - afterNanos;
        long most = wallMillis * MILLI + MILLI - beforeNanos;
        if (least - aheadNanos > NOISE_NANOS) {
            return new BootEstimate(afterNanos, least, asleepNanos + least - aheadNanos);
        }
        return aheadNanos - most > NOISE_NANOS ? new BootEstimate(afterNanos, least, asleepNanos) : this;
    }

    /** What a clock that counts from boot would show when the monotonic one shows {@code monotonicNanos}. */
    public long nanos(long monotonicNanos) {
        return monotonicNanos + asleepNanos;
    }
}
