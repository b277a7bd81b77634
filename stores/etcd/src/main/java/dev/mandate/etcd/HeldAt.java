package dev.mandate.etcd;

import dev.mandate.spi.Basis;

/**
 * A key as it was written: revisions are never given twice in the life of the cluster's data.
 *
 * @param modified the revision of its last write
 * @param created the revision at which it came to be
 * @param lease the lease it is attached to, which every update must name again; 0 for none
 */
record HeldAt(long modified, long created, long lease) implements Basis {}
