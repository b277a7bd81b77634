package dev.mandate.etcd;

import dev.mandate.spi.Liveness;

/** The lease that keeps a key. Updates of the key do not change it, and its renewals do not show in the key. */
record LeaseAlive(long lease) implements Liveness {}
