package dev.mandate.consul;

import dev.mandate.spi.Liveness;

/** Consul judges who lives: what tells one holder from the next is its session. */
record LockedBy(String session) implements Liveness {}
