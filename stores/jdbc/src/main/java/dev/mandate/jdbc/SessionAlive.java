package dev.mandate.jdbc;

import dev.mandate.spi.Liveness;

/** The session that keeps a key, and its version, which every renewal raises. Keys of an ended session are vacant. */
record SessionAlive(String session, long version) implements Liveness {}
