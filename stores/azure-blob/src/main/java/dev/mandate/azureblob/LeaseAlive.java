package dev.mandate.azureblob;

import dev.mandate.spi.Liveness;

/**
 * Identifies the lease only: the service ends leases by itself and does not show renewals.
 *
 * @param lease its id, or the blob's version if that is not known
 */
record LeaseAlive(String lease) implements Liveness {}
