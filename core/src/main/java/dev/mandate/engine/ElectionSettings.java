package dev.mandate.engine;

import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaseScope;
import org.jspecify.annotations.Nullable;

/**
 * What all elections of one client share, or all its registrations; see {@link CandidateSettings}.
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
 * @param ordered whether there is an order: the store says who tries first, or a queue does
 * @param queue how the candidates of an election that queue are ordered; null where they don't queue
 * @param registers whether a record says that somebody is there, and nothing more: no work is done under it, and
 *     nothing is fenced by its term. So a win is announced at once, an end is followed by the release at once, nobody
 *     looks for the record by a common listing, a term smaller than an earlier one is as good as any, and a release
 *     that fails never costs the session that others share: the record stands until a later try succeeds, one each
 *     {@code leaderPoll} in the end, or until that session ends
 * @param once whether a candidacy ends with its term, as the place in a queue does: whoever loses it has to take
 *     another
 * @param erases whether what the release of such a place leaves in the store has to be removed
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
        boolean ordered,
        @Nullable QueueOrder queue,
        boolean registers,
        boolean once,
        boolean erases) {

    /** The settings of elections. */
    public ElectionSettings(
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
        this(
                candidate,
                incarnation,
                timing,
                expiry,
                scope,
                freedNanos,
                reserveNanos,
                settle,
                settleForeignNanos,
                overrun,
                ordered,
                null,
                false,
                false,
                false);
    }

    /** These, where candidates queue. */
    public ElectionSettings queueing(QueueOrder order) {
        return new ElectionSettings(
                candidate,
                incarnation,
                timing,
                expiry,
                scope,
                freedNanos,
                reserveNanos,
                settle,
                settleForeignNanos,
                overrun,
                true,
                order,
                registers,
                once,
                erases);
    }

    /**
     * Those of places in queues, from those of registrations.
     *
     * @param erasing see {@link #erases}
     */
    public ElectionSettings places(boolean erasing) {
        return new ElectionSettings(
                candidate,
                incarnation,
                timing,
                expiry,
                scope,
                freedNanos,
                reserveNanos,
                settle,
                settleForeignNanos,
                overrun,
                false,
                null,
                registers,
                true,
                erasing);
    }

    /**
     * The settings of the same client's registrations.
     *
     * @param own see {@link LeaseTiming#registering}
     * @param ownFreedNanos see {@link #freedNanos}, for their lease
     */
    public ElectionSettings registrations(LeaseTiming own, long ownFreedNanos) {
        return new ElectionSettings(
                candidate,
                incarnation,
                own,
                expiry,
                scope,
                ownFreedNanos,
                reserveNanos,
                Settle.NEVER,
                0,
                OverrunPolicy.RELEASE,
                false,
                null,
                true,
                false,
                false);
    }

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
