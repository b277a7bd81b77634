package dev.mandate.consul;

import dev.mandate.spi.Liveness;

/** Consul ends sessions itself, so the session is all that identifies a holder. */
record LockedBy(String session) implements Liveness {}
