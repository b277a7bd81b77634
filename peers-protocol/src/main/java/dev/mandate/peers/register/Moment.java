package dev.mandate.peers.register;

import dev.mandate.engine.LeaseWindow;

/**
 * What the clocks show on the machine of a proposal.
 *
 * @param nanos any origin; never goes back, and counts while the machine is suspended. Compared by differences. May be
 *     behind by up to {@link LeaseWindow#BOOT_COARSE_NANOS}
 * @param monotonicNanos likewise, but exact, and stands still while the machine is suspended
 * @param wallMillis since 1970, or anything: it affects only the height of counters
 */
public record Moment(long nanos, long monotonicNanos, long wallMillis) {
    /** On a machine with one clock, which is exact. */
    public Moment(long nanos, long wallMillis) {
        this(nanos, nanos, wallMillis);
    }

    /** How much later than {@code earlier} this is; perhaps more, never less. */
    long leastNanosSince(Moment earlier) {
        return Math.max(monotonicNanos - earlier.monotonicNanos, nanos - earlier.nanos - LeaseWindow.BOOT_COARSE_NANOS);
    }
}
