package dev.mandate.azureblob;

import dev.mandate.spi.Basis;

/**
 * The blob is leased.
 *
 * @param etag the blob's version; taking and renewing a lease do not change it
 * @param isBreaking whether the lease was broken: it can't be renewed and will end
 * @param strangersOver if the lease is foreign: the term of our record still in the blob; else 0
 */
record LeasedAt(String etag, boolean isBreaking, long strangersOver) implements Basis {}
