package dev.mandate.jdbc;

import dev.mandate.spi.Basis;

/**
 * A vacant key. Versions only rise, so it never repeats.
 *
 * @param version of its row, or, while it has none, of its {@link Mark}; 0 where there is no mark either
 */
record VacantAt(long version, boolean hasRow) implements Basis {}
