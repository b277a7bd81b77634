package dev.mandate.azureblob;

/**
 * What a look at a blob showed.
 *
 * @param etag its version, without quotes; empty if there is no blob
 * @param lease whether somebody has a lease, and how it ends
 * @param record what stands where our records do; empty if nothing does
 * @param changedMillis when the blob was last changed, by the service's clock, to the second, in milliseconds since 1970; 0 if that was not told
 */
record Look(String etag, Lease lease, String record, long changedMillis) {
    /** How a lease ends. */
    enum Lease {
        /** There is none. */
        NONE,
        /** After a time, unless it is renewed. */
        FOR_A_TIME,
        /** Never by itself: none of ours. */
        FOR_EVER,
        /** Somebody broke it: after a time, and nobody can renew it. Until then nobody else gets one. */
        BREAKING
    }

    /** There is no blob. */
    static final Look NOTHING = free("");

    /** Nobody has a lease at this version. */
    static Look free(String etag) {
        return new Look(etag, Lease.NONE, "", 0);
    }

    /** The same, had nobody a lease. */
    Look withoutLease() {
        return new Look(etag, Lease.NONE, record, changedMillis);
    }

    /** Whether somebody has a lease, also one that is being broken. */
    boolean isLeased() {
        return lease != Lease.NONE;
    }

    boolean isForEver() {
        return lease == Lease.FOR_EVER;
    }
}
