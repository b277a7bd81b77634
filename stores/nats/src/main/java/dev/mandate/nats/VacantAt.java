package dev.mandate.nats;

import dev.mandate.spi.Basis;

/**
 * A key that nobody holds.
 *
 * @param revision that of the marker which a release left, or 0 where there is nothing: all such vacancies of a key look the same, so a write on
 *     one of them may land in a later one
 * @param isDeleted whether the marker is another program's deletion, which the server may replace by a marker of its own when it expires
 */
record VacantAt(long revision, boolean isDeleted) implements Basis {
    VacantAt(long revision) {
        this(revision, false);
    }
}
