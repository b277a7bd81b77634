package dev.mandate.peers.register;

import dev.mandate.spi.Liveness;

/**
 * The write that last renewed the lease. Completing another's write changes neither it nor the basis.
 *
 * @param write the acquire or renewal
 */
public record RenewalId(Epoch write) implements Liveness {}
