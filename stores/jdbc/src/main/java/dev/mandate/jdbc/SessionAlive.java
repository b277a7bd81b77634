package dev.mandate.jdbc;

import dev.mandate.spi.Liveness;

/**
 * The session that keeps a key, and its version, which every renewal raises. Never of an ended session: its
 * keys are vacant.
 */
record SessionAlive(String session, long version) implements Liveness {}
