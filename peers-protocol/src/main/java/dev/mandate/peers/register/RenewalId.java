package dev.mandate.peers.register;

import dev.mandate.spi.Liveness;

/**
 * The write that last renewed the lease. Completing a write of another changes it as little as the basis.
 *
 * @param write the acquire or renewal
 */
public record RenewalId(Epoch write) implements Liveness {}
