package dev.mandate.azureblob;

/**
 * What reading a blob showed.
 *
 * @param etag the blob's version, without quotes; empty if there is no blob
 * @param lease whether the blob is leased, and how the lease ends
 * @param record the text of our metadata entry; empty if there is none
 * @param changedMillis when the blob was last changed, by the service's clock to the second, in milliseconds since
 *     1970; 0 if not given
 */
record Look(String etag, Lease lease, String record, long changedMillis) {
    /** How a lease ends. */
    enum Lease {
        /** There is no lease. */
        NONE,
        /** It expires unless renewed. */
        FOR_A_TIME,
        /** It never expires, so it is not ours. */
        FOR_EVER,
        /** It was broken: it can't be renewed and will end. Until then nobody else gets a lease. */
        BREAKING
    }

    /** There is no blob. */
    static final Look NOTHING = free("");

    /** A blob without a lease at this version. */
    static Look free(String etag) {
        return new Look(etag, Lease.NONE, "", 0);
    }

    /** The same blob, as if it had no lease. */
    Look withoutLease() {
        return new Look(etag, Lease.NONE, record, changedMillis);
    }

    /** Whether there is a lease, including one being broken. */
    boolean isLeased() {
        return lease != Lease.NONE;
    }

    boolean isForEver() {
        return lease == Lease.FOR_EVER;
    }
}
