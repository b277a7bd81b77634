package dev.mandate.internal.memory;

import dev.mandate.spi.Liveness;

/** The session that keeps a record, and how often it was renewed. */
record SessionSeen(long session, long version) implements Liveness {}
