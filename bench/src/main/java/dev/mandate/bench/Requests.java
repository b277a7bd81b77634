package dev.mandate.bench;

/**
 * Requests to stores, and what came back.
 *
 * @param all requests of every kind
 * @param reads of single records
 * @param listings pages of listings
 * @param listed records in those pages
 * @param writes other than renewals
 * @param renewals of a session, or of a record where leases are per record
 * @param hints from watches
 */
record Requests(long all, long reads, long listings, long listed, long writes, long renewals, long hints) {
    static final Requests NONE = new Requests(0, 0, 0, 0, 0, 0, 0);

    Requests plus(Requests more) {
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

    /** Reads and listings. */
    long looks() {
        return reads + listings;
    }

    /**
     * The requests of one event: all writes, and the reads and listings of those concerned. The rest are polls.
     *
     * @param all by everybody while it happened
     * @param concerned by those whom the event concerned
     */
    static long ofEvent(Requests all, Requests concerned) {
        return all.writes + concerned.looks();
    }
}
