package dev.mandate.jdbc;

import dev.mandate.spi.Basis;

/**
 * A vacant key: the version of its row, or 0 while it has none. Rows are never deleted and versions only rise, so it
 * never repeats.
 */
record VacantAt(long version) implements Basis {}
