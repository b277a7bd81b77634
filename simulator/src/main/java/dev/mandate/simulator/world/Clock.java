package dev.mandate.simulator.world;

import dev.mandate.engine.Now;

/** Both clocks of one machine, as functions of true time: a constant rate, a wall clock that steps, a monotonic one that may sleep. */
final class Clock {
    private static final long MILLI = 1_000_000L;

    private final double rate;
    private final long monotonicStart;
    private long sleptNanos;
    private long asleepSince = -1;
    private long wallOffsetNanos;

    /**
     * @param rate nanoseconds of this clock per true one
     * @param monotonicStart what the monotonic clock shows at true time 0
     * @param wallStartNanos what the wall clock shows at true time 0
     */
    Clock(double rate, long monotonicStart, long wallStartNanos) {
        this.rate = rate;
        this.monotonicStart = monotonicStart;
        this.wallOffsetNanos = wallStartNanos;
    }

    double rate() {
        return rate;
    }

    /** The monotonic clock. */
    long nanos(long at) {
        long until = asleepSince >= 0 ? asleepSince : at;
        return monotonicStart + (long) ((until - sleptNanos) * rate);
    }

    /** The wall clock. */
    long wallMillis(long at) {
        return Math.floorDiv(wallOffsetNanos + (long) (at * rate), MILLI);
    }

    Now now(long at) {
        return new Now(nanos(at), wallMillis(at));
    }

    /**
     * The first true instant from {@code from} on at which the monotonic clock shows {@code nanos} or more, {@link Long#MIN_VALUE} included; it must
     * not sleep.
     */
    long when(long nanos, long from) {
        if (nanos <= nanos(from)) {
            return from;
        }
        long at = (long) ((nanos - monotonicStart) / rate) + sleptNanos - 1;
        while (nanos(at) < nanos) {
            at++;
        }
        return at;
    }

    /** A duration of this clock in true nanoseconds, rounded up. */
    long trueNanos(long nanos) {
        return (long) Math.ceil(nanos / rate);
    }

    void fallAsleep(long at) {
        asleepSince = at;
    }

    void wakeUp(long at) {
        if (asleepSince >= 0) {
            sleptNanos += at - asleepSince;
            asleepSince = -1;
        }
    }

    /** The wall clock is set. */
    void step(long nanos) {
        wallOffsetNanos += nanos;
    }
}
