package dev.mandate.engine;

import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaseScope;

/**
 * What all elections of one client share.
 *
 * @param candidate the candidate id for people
 * @param incarnation this client's own, drawn when it was opened
 * @param timing all durations
 * @param expiry who decides that a lease is over
 * @param scope what a lease is attached to
 * @param freedNanos how long after its last renewal an abandoned session is certainly over, as the store counts
 * @param reserveNanos how much less than the lease a store that keeps one for each record may grant
 * @param settle when a win is announced only after a settling time
 * @param settleForeignNanos how long after a foreign record; 0 for the longer of L and the foreign lease
 * @param overrun what happens to the lease when work outlives its budget
 * @param ordered whether the store says who tries first
 */
public record ElectionSettings(
        String candidate,
        Id incarnation,
        LeaseTiming timing,
        Expiry expiry,
        LeaseScope scope,
        long freedNanos,
        long reserveNanos,
        Settle settle,
        long settleForeignNanos,
        OverrunPolicy overrun,
        boolean ordered) {

    boolean sharesSession() {
        return scope == LeaseScope.SESSION;
    }

    /** What an acquire grants at least, if it lands. */
    long grantedAtLeastNanos() {
        return Math.max(1, timing.leaseNanos() - reserveNanos);
    }

    boolean isJudged() {
        return expiry == Expiry.OBSERVER_JUDGES;
    }
}
