package dev.mandate.azureblob;

/**
 * What a look at a blob showed.
 *
 * @param etag its version, without quotes; empty if there is no blob
 * @param isLeased whether somebody has a lease, also one that is being broken
 * @param isForEver whether that lease never ends by itself: none of ours
 * @param record what stands where our records do; empty if nothing does
 */
record Look(String etag, boolean isLeased, boolean isForEver, String record) {
    /** There is no blob. */
    static final Look NOTHING = new Look("", false, false, "");
}
