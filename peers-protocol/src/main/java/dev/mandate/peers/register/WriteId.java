package dev.mandate.peers.register;

import dev.mandate.spi.Basis;

/**
 * The write that the next one replaces.
 *
 * @param write {@link Epoch#NONE} for an empty key
 */
public record WriteId(Epoch write) implements Basis {}
