package dev.mandate.engine;

/**
 * How long one confirmed grant may be believed, counted from when the request was <em>sent</em>, on three clocks. The
 * first clock to expire ends it.
 *
 * <ul>
 *   <li>The monotonic clock is exact, but stands still while the machine is suspended.
 *   <li>The clock that counts from boot goes on during a suspension, and nobody can set it. It is coarse: it does not
 *       show a suspension of less than 20 ms, which the guard covers.
 *   <li>The wall clock can be set. If it shows more time than the others, that shortens belief: perhaps a virtual
 *       machine was paused and its time corrected. If it shows less, that does not count.
 * </ul>
 *
 * @param sent the clocks at the send
 * @param stopNanos how long after the send {@code isValid()} becomes false and draining begins
 * @param endNanos how long after the send nothing of ours may run any more; at least {@code stopNanos}
 */
public record LeaseWindow(Now sent, long stopNanos, long endNanos) {
    /** How far the clock that counts from boot may be behind: Linux shows it in hundredths of a second. */
    public static final long BOOT_COARSE_NANOS = 10_000_000L;

    private static final long MILLI = 1_000_000L;
    private static final long WALL_MILLIS_MAX = Long.MAX_VALUE / MILLI - 1;

    /** Whether draining must have begun: {@code isValid()} is false from then on. */
    public boolean isStopPassed(Now now) {
        return elapsedNanos(now) >= stopNanos;
    }

    /** Whether the deadline has passed: work that still runs is an overrun. */
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
    public long drainTimeoutNanos() {
        return endNanos - stopNanos;
    }

    /** When the request was sent, on the monotonic clock. */
    public long sentNanos() {
        return sent.monotonicNanos();
    }

    /**
     * When {@link #isStopPassed} turns true on the monotonic clock, if there is no suspension and no step
     * of the wall clock.
     */
    public long stopAtNanos() {
        return sentNanos() + stopNanos;
    }

    /**
     * When {@link #isStopPassed} turns true on the monotonic clock, if from {@code now} on no clock stands
     * still or steps. The other clocks are coarse: after a suspension of hardly 20 ms it may yet turn out to be
     * {@link #stopAtNanos()}.
     */
    public long stopAtNanos(Now now) {
        long suspended = suspensionNanos(now);
        long left = stopNanos - suspended;
        if (suspended > 0 && left > 0) {
            // The clock moves in steps and shows the same until the next one: without a minimum, checks would follow
            // each other without a pause.
            left = Math.max(MILLI, left);
        }
        long wallMillis = now.wallMillis() - sent.wallMillis();
        if (wallMillis > 0) {
            // The next millisecond of the wall clock may be that far away.
            long stopMillis = (stopNanos + MILLI - 1) / MILLI;
            left = Math.min(left, Math.max(0, stopMillis - 1 - Math.min(wallMillis, stopMillis)) * MILLI);
        }
        return Math.min(stopAtNanos(), now.monotonicNanos() + Math.max(0, left));
    }

    /** Whether its stop comes before that of {@code other} on one of the clocks, at their present rates. */
    boolean mayStopBefore(LeaseWindow other) {
        // The later of two sends is also later on the clock that counts from boot, so that one need not be compared.
        return stopAtNanos() < other.stopAtNanos()
                || sent.wallMillis() + stopNanos / MILLI < other.sent.wallMillis() + other.stopNanos / MILLI;
    }

    /**
     * When {@link #isEndPassed} turns true on the monotonic clock, if there is no suspension and no step
     * of the wall clock.
     */
    public long endAtNanos() {
        return sentNanos() + endNanos;
    }

    /** The longest time that any clock measured since the send. */
    private long elapsedNanos(Now now) {
        long elapsed = Math.max(now.monotonicNanos() - sentNanos(), suspensionNanos(now));
        return Math.max(elapsed, wallNanos(now));
    }

    /** The time since the send if the machine was suspended since, else 0: the monotonic clock is more exact. */
    private long suspensionNanos(Now now) {
        long monotonic = now.monotonicNanos() - sentNanos();
        long boot = now.bootNanos() - sent.bootNanos();
        if (boot <= BOOT_COARSE_NANOS || boot - BOOT_COARSE_NANOS <= monotonic) {
            return 0;
        }
        return boot >= Long.MAX_VALUE - BOOT_COARSE_NANOS ? Long.MAX_VALUE : boot + BOOT_COARSE_NANOS;
    }

    /** Two truncated readings of the wall clock can hide up to a millisecond, so one is added once it has moved. */
    private long wallNanos(Now now) {
        long wallMillis = now.wallMillis() - sent.wallMillis();
        if (wallMillis <= 0) {
            return 0;
        }
        return wallMillis >= WALL_MILLIS_MAX ? Long.MAX_VALUE : (wallMillis + 1) * MILLI;
    }
}
