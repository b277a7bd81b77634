package dev.mandate.simulator.world;

import dev.mandate.engine.BootEstimate;
import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Now;
import org.jspecify.annotations.Nullable;

/**
 * The clocks of one machine, as functions of true time: a constant rate, a wall clock that steps, a monotonic clock
 * that may sleep, and a boot clock, real or estimated from the wall clock.
 */
public final class Clock {
    private static final long MILLI = 1_000_000L;

    private final double rate;
    private final long monotonicStart;
    private long sleptNanos;
    private long asleepSince = -1;
    private long wallOffsetNanos;
    private @Nullable BootEstimate estimate;
    private boolean wasSet;

    /**
     * @param rate nanoseconds of this clock per true nanosecond
     * @param monotonicStart what the monotonic clock shows at true time 0
     * @param wallStartNanos what the wall clock shows at true time 0
     * @param estimates whether time since boot must be estimated
     */
    public Clock(double rate, long monotonicStart, long wallStartNanos, boolean estimates) {
        this.rate = rate;
        this.monotonicStart = monotonicStart;
        this.wallOffsetNanos = wallStartNanos;
        this.estimate = estimates ? BootEstimate.begin(nanos(0), wallMillis(0)) : null;
    }

    double rate() {
        return rate;
    }

    /** The monotonic clock. */
    public long nanos(long at) {
        long until = asleepSince >= 0 ? asleepSince : at;
        return monotonicStart + (long) ((until - sleptNanos) * rate);
    }

    /** The wall clock. */
    public long wallMillis(long at) {
        return Math.floorDiv(wallOffsetNanos + (long) (at * rate), MILLI);
    }

    /** The time since boot, as coarse as the real one. */
    private long bootNanos(long at) {
        long exact = monotonicStart + (long) (at * rate);
        return exact - Math.floorMod(exact, LeaseWindow.BOOT_COARSE_NANOS);
    }

    /** Whether a backward step of the wall clock hides a suspension if nobody reads the clocks in between. */
    public boolean estimates() {
        return estimate != null;
    }

    /** All clocks, as a process reads them. */
    public Now now(long at) {
        long monotonic = nanos(at);
        long wall = wallMillis(at);
        if (estimate == null) {
            return new Now(monotonic, bootNanos(at), wall);
        }
        estimate = estimate.look(monotonic, wall, monotonic);
        return new Now(monotonic, estimate.nanos(monotonic), wall);
    }

    /**
     * The first true instant from {@code from} on at which the monotonic clock shows {@code nanos} or more, even for
     * {@link Long#MIN_VALUE}. The clock must not be asleep.
     */
    public long when(long nanos, long from) {
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
    public long trueNanos(long nanos) {
        return (long) Math.ceil(nanos / rate);
    }

    /** Stops the monotonic clock. As with the real watchdog, the clocks were read since they were last set. */
    public void fallAsleep(long at) {
        now(at);
        asleepSince = at;
    }

    /** Starts the monotonic clock again if it stood still. */
    public void wakeUp(long at) {
        if (asleepSince >= 0) {
            sleptNanos += at - asleepSince;
            asleepSince = -1;
        }
    }

    /** Sets the wall clock. The clocks were read since the machine last woke. */
    public void step(long nanos, long at) {
        if (asleepSince < 0) {
            now(at);
        }
        wallOffsetNanos += nanos;
        wasSet = true;
    }

    /** Whether the wall clock was ever set. */
    boolean wasSet() {
        return wasSet;
    }
}
