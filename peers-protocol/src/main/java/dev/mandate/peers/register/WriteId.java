package dev.mandate.peers.register;

import dev.mandate.spi.Basis;

/**
 * The write that a next one replaces.
 *
 * @param write {@link Epoch#NONE} where nothing stands
 */
public record WriteId(Epoch write) implements Basis {}
