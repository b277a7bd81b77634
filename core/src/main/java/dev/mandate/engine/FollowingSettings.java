package dev.mandate.engine;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.StoreTraits;

/**
 * How a {@link FollowingMachine} follows.
 *
 * @param timing of the one who follows: how often it looks, how long it waits for answers, and when its list is stale.
 *     When a <em>record</em> is dead is for that record's own lease to say
 * @param expiry who decides that a lease is over
 * @param confirms whether what a hint says is soon compared with a listing, and whether a record is looked at while
 *     hints alone vouch for the list; else only the listings that are due anyway say what is right, for a list that may
 *     be wrong for a while
 * @param recordsMax how many records are followed at most, the dead among them
 */
public record FollowingSettings(LeaseTiming timing, Expiry expiry, boolean confirms, int recordsMax) {
    /** So many records are followed below one prefix by default. */
    public static final int RECORDS_MAX = 20_000;

    /** As most do who follow: what hints say is confirmed. */
    public FollowingSettings(LeaseTiming timing, Expiry expiry, int recordsMax) {
        this(timing, expiry, true, recordsMax);
    }

    /** @throws IllegalArgumentException if {@code recordsMax} is less than 1 */
    public FollowingSettings {
        if (recordsMax < 1) {
            throw new IllegalArgumentException("recordsMax is " + recordsMax + "; it must be 1 or more");
        }
    }

    boolean isJudged() {
        return expiry == Expiry.OBSERVER_JUDGES;
    }

    /** From one listing to the next where a listing is all there is to go by: L/4. */
    long lookNanos() {
        return Math.max(1, timing.leaseNanos() / 4);
    }

    /** The same while hints tell of what happens, and of ends, too. */
    long hintedLookNanos() {
        return Math.max(lookNanos(), timing.leaderPollNanos());
    }

    /**
     * How soon what a hint said is compared with a listing, at most. A list of several pages is compared less often, so
     * that a service that never rests costs no more than a page in that time, however many it has.
     */
    long confirmNanos(int pages) {
        long most = hintedLookNanos();
        return confirms ? stretched(Math.max(timing.retryNanos(), timing.hintedPollNanos()), pages, most) : 2 * most;
    }

    /** From the end of one listing to the beginning of the next, at most, whatever calls for it. */
    long pauseNanos(int pages) {
        return stretched(timing.retryNanos(), pages, lookNanos());
    }

    /** So long for each page, up to {@code most}; never less than for one page. */
    private static long stretched(long each, int pages, long most) {
        return Math.max(each, each > most / pages ? most : each * pages);
    }

    /**
     * How long after its last renewal a record is gone from the list at the latest, as the clock of the one who follows
     * counts it, while the store answers in time, whether hints come or not.
     *
     * @param leaseNanos of the record
     * @param pages how many a listing takes
     */
    public long goneNanos(StoreTraits traits, long leaseNanos, int pages) {
        long listing = pages * timing.answerNanos();
        // The second look: what seems to be gone from a list of several pages, or the last one of the list, is looked
        // for again.
        long again = pauseNanos(pages) + listing;
        if (isJudged()) {
            // It is first seen up to one listing after it renewed, and found silent up to another one after its lease.
            return leaseNanos + 2 * (lookNanos() + listing) + again;
        }
        long freed = (long) (leaseNanos * traits.expiryFactor())
                + traits.expirySlack().toNanos();
        return freed + (traits.watches() ? hintedLookNanos() : lookNanos()) + listing + again;
    }
}
