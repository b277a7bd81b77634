package dev.mandate.etcd;

import dev.mandate.spi.Basis;

/**
 * A key as written. Revisions are unique in the life of the cluster's data.
 *
 * @param modified the revision of its last write
 * @param created the revision at which it was created
 * @param lease the lease it is attached to, which every update must name again; 0 for none
 */
record HeldAt(long modified, long created, long lease) implements Basis {}
