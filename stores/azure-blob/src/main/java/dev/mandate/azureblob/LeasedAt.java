package dev.mandate.azureblob;

import dev.mandate.spi.Basis;

/**
 * Somebody has a lease.
 *
 * @param etag the blob's version, which taking and renewing leases leaves as it is
 * @param isBreaking whether somebody broke the lease, so that it can't be renewed, and ends after a time
 * @param strangersOver where the lease is a stranger's: the term of the record of ours that stands there still, else 0
 */
record LeasedAt(String etag, boolean isBreaking, long strangersOver) implements Basis {}
