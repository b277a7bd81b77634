package dev.mandate.jdbc;

import dev.mandate.spi.Basis;

/**
 * A vacant key. Versions only rise, so no vacancy repeats.
 *
 * @param version the version of its row or, without a row, of its {@link Mark}; 0 without either
 */
record VacantAt(long version, boolean hasRow) implements Basis {}
