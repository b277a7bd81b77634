package dev.mandate.azureblob;

import dev.mandate.spi.Basis;

/**
 * Somebody has a lease.
 *
 * @param etag the blob's version, which taking and renewing leases leaves as it is
 */
record LeasedAt(String etag) implements Basis {}
