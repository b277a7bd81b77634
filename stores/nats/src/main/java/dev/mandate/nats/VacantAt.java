package dev.mandate.nats;

import dev.mandate.spi.Basis;

/**
 * A key that nobody holds.
 *
 * @param revision that of the marker which a release left, or 0 where there is nothing: all such vacancies of a key look the same, so a write on
 *     one of them may land in a later one
 */
record VacantAt(long revision) implements Basis {}
