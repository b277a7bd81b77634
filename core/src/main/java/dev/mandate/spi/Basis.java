package dev.mandate.spi;

/**
 * The version of a record that a write is conditional on: a revision, an ETag, a row version. Opaque to everybody but
 * the store that made it.
 *
 * <p>Implement it as a {@code record}: the engine compares two of them with {@code equals} and asks nothing else.
 */
public interface Basis {}
