package dev.mandate.azureblob;

/**
 * What a look at a blob showed.
 *
 * @param etag its version, without quotes; empty if there is no blob
 * @param isLeased whether somebody has a lease, also one that is being broken
 * @param isForEver whether that lease never ends by itself: none of ours
 * @param record what stands where our records do; empty if nothing does
 * @param changedMillis when the blob was last changed, by the service's clock, to the second, in milliseconds since 1970; 0 if that was not told
 */
record Look(String etag, boolean isLeased, boolean isForEver, String record, long changedMillis) {
    /** There is no blob. */
    static final Look NOTHING = new Look("", false, false, "", 0);

    /** Nobody has a lease at this version. */
    static Look free(String etag) {
        return new Look(etag, false, false, "", 0);
    }
}
