package dev.mandate.azureblob;

import dev.mandate.spi.Liveness;

/**
 * Whose lease it is. The service ends leases by itself and does not show renewals, so that is all.
 *
 * @param lease its id, or the blob's version where it is not known
 */
record LeaseAlive(String lease) implements Liveness {}
