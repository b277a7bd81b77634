package dev.mandate.azureblob;

import dev.mandate.spi.Basis;

/**
 * Somebody has a lease.
 *
 * @param etag the blob's version, which taking and renewing leases leaves as it is
 * @param isBreaking whether somebody broke the lease, so that it can't be renewed, and ends after a time
 */
record LeasedAt(String etag, boolean isBreaking) implements Basis {}
