package dev.mandate.engine;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.StoreTraits;

/**
 * How a {@link FollowingMachine} follows.
 *
 * @param timing the follower's: how often it lists, how long it waits for answers, and when its list is stale. When a
 *     <em>record</em> is dead depends on that record's own lease
 * @param expiry who decides that a lease is over
 * @param confirms whether a listing soon checks each hint, and a record is read while only hints vouch for the list;
 *     else only the regular listings correct the list, which may be wrong for a while
 * @param recordsMax how many records are followed at most, dead ones included
 */
public record FollowingSettings(LeaseTiming timing, Expiry expiry, boolean confirms, int recordsMax) {
    /** How many records are followed below one prefix by default. */
    public static final int RECORDS_MAX = 20_000;

    /** The usual settings: listings check hints. */
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

    /** The time between listings where only listings show changes: L/4. */
    long lookNanos() {
        return Math.max(1, timing.leaseNanos() / 4);
    }

    /** The same while hints work and the store also reports ends. */
    long hintedLookNanos() {
        return Math.max(lookNanos(), timing.recordCheckIntervalNanos());
    }

    /**
     * How soon a listing checks a hint, at most. A list of several pages is checked less often: a service that never
     * rests costs no more than a page in that time, however many it has.
     */
    long confirmNanos(int pages) {
        long most = hintedLookNanos();
        return confirms
                ? stretched(Math.max(timing.retryIntervalNanos(), timing.hintedPollIntervalNanos()), pages, most)
                : 2 * most;
    }

    /** How soon after the end of a listing the next may begin, whatever requests it, before jitter shortens this. */
    long pauseNanos(int pages) {
        return stretched(timing.retryIntervalNanos(), pages, lookNanos());
    }

    /** {@code each} for each page, up to {@code most}; never less than for one page. */
    private static long stretched(long each, int pages, long most) {
        return Math.max(each, each > most / pages ? most : each * pages);
    }

    /**
     * How long after its last renewal a record disappears from the list at the latest, by the follower's clock, while
     * the store answers in time, with or without hints.
     *
     * @param leaseNanos the record's lease
     * @param pages how many a listing takes
     */
    public long goneNanos(StoreTraits traits, long leaseNanos, int pages) {
        long listing = pages * timing.requestTimeoutNanos();
        // The second listing: what is missing from a list of several pages, or would empty the list,
        // is looked for again.
        long again = pauseNanos(pages) + listing;
        if (isJudged()) {
            // First seen up to one listing after it renewed, and found silent up to another one after its lease.
            return leaseNanos + 2 * (lookNanos() + listing) + again;
        }
        long freed = (long) (leaseNanos * traits.expiryFactor())
                + traits.expirySlack().toNanos();
        return freed + (traits.watches() ? hintedLookNanos() : lookNanos()) + listing + again;
    }
}
