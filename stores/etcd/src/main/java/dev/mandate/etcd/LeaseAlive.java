package dev.mandate.etcd;

import dev.mandate.spi.Liveness;

/** The lease that keeps a key: no write of the key changes it, and its renewals are not seen in the key. */
record LeaseAlive(long lease) implements Liveness {}
