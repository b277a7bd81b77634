package dev.mandate.engine;

import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaseScope;
import org.jspecify.annotations.Nullable;

/**
 * The settings that all elections of one client share, or all its registrations; see {@link CandidateSettings}.
 *
 * @param candidate the candidate id for people
 * @param incarnation this client's own, drawn when it was opened
 * @param timing all durations
 * @param expiry who decides that a lease is over
 * @param scope what a lease is attached to
 * @param freedNanos how long after its last renewal an abandoned session is certainly over, by the store's clock
 * @param reserveNanos how much less than the lease a store with a lease per record may grant
 * @param settle when a win is announced only after a settling time
 * @param settleTimeNanos how long to settle after a foreign record; 0 for the longer of L and the foreign lease
 * @param overrun what happens to the lease when work outlives its budget
 * @param ordered whether the store, or a queue, says who tries first
 * @param queue how candidates that queue for an election are ordered; null where they don't queue
 * @param registers whether a record only says that somebody is there: it covers no work, and its term fences nothing.
 *     So a win is announced at once, and the release follows an end at once. No common listing has to show the record,
 *     and a term smaller than an earlier one will do. A release that fails never ends the session that others share:
 *     the record stays until a later try succeeds, in the end one each {@code recordCheckInterval}, or until that
 *     session ends
 * @param once whether a candidacy ends with its term, like a place in a queue: after a loss the
 *     client must take another
 * @param erases whether to remove what the release of such a place leaves in the store
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
        long settleTimeNanos,
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
            long settleTimeNanos,
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
                settleTimeNanos,
                overrun,
                ordered,
                null,
                false,
                false,
                false);
    }

    /** These settings, for candidates that queue. */
    public ElectionSettings queueing(QueueOrder order) {
        return with(timing, freedNanos, settle, settleTimeNanos, overrun, true, order, registers, once, erases);
    }

    /**
     * The settings of places in queues, made from those of registrations.
     *
     * @param erasing see {@link #erases}
     */
    public ElectionSettings places(boolean erasing) {
        return with(timing, freedNanos, settle, settleTimeNanos, overrun, false, null, registers, true, erasing);
    }

    /**
     * The settings of the same client's registrations.
     *
     * @param own see {@link LeaseTiming#registering}
     * @param ownFreedNanos see {@link #freedNanos}, for their lease
     */
    public ElectionSettings registrations(LeaseTiming own, long ownFreedNanos) {
        return with(own, ownFreedNanos, Settle.NEVER, 0, OverrunPolicy.RELEASE, false, null, true, false, false);
    }

    /** The same client's settings with other values for all that may differ between its machines. */
    private ElectionSettings with(
            LeaseTiming otherTiming,
            long otherFreedNanos,
            Settle otherSettle,
            long otherSettleTimeNanos,
            OverrunPolicy otherOverrun,
            boolean isOrdered,
            @Nullable QueueOrder otherQueue,
            boolean isRegistering,
            boolean isOnce,
            boolean isErasing) {
        return new ElectionSettings(
                candidate,
                incarnation,
                otherTiming,
                expiry,
                scope,
                otherFreedNanos,
                reserveNanos,
                otherSettle,
                otherSettleTimeNanos,
                otherOverrun,
                isOrdered,
                otherQueue,
                isRegistering,
                isOnce,
                isErasing);
    }

    boolean sharesSession() {
        return scope == LeaseScope.SESSION;
    }

    /** The least lease that an acquire grants, if it lands. */
    long grantedAtLeastNanos() {
        return Math.max(1, timing.leaseNanos() - reserveNanos);
    }

    boolean isJudged() {
        return expiry == Expiry.OBSERVER_JUDGES;
    }
}
