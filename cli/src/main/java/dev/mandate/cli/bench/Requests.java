package dev.mandate.cli.bench;

import java.util.List;

/**
 * What stores were asked for, and what they told.
 *
 * @param all requests of every kind
 * @param reads of single records
 * @param listings pages of listings
 * @param listed records in those pages
 * @param writes but renewals
 * @param renewals of a session, or of a record where leases are per record
 * @param hints that watches told
 */
record Requests(long all, long reads, long listings, long listed, long writes, long renewals, long hints) {
    static final Requests NONE = new Requests(0, 0, 0, 0, 0, 0, 0);

    /** Of all of them together. */
    static Requests of(List<CountingStore> stores) {
        return stores.stream().map(CountingStore::count).reduce(NONE, Requests::plus);
    }

    private Requests plus(Requests more) {
        return new Requests(
                all + more.all,
                reads + more.reads,
                listings + more.listings,
                listed + more.listed,
                writes + more.writes,
                renewals + more.renewals,
                hints + more.hints);
    }

    /** What was added since {@code before}. */
    Requests since(Requests before) {
        return new Requests(
                all - before.all,
                reads - before.reads,
                listings - before.listings,
                listed - before.listed,
                writes - before.writes,
                renewals - before.renewals,
                hints - before.hints);
    }

    /**
     * How many reads, listings and writes one of so many events took, without those that would have been made anyway.
     *
     * @param share of {@code idle}, which is what was asked for while nothing happened, that belongs to the time of the events
     */
    double each(int events, Requests idle, double share) {
        return (beyond(reads, idle.reads, share)
                        + beyond(listings, idle.listings, share)
                        + beyond(writes, idle.writes, share))
                / events;
    }

    private static double beyond(long asked, long idle, double share) {
        return Math.max(0, asked - idle * share);
    }
}
