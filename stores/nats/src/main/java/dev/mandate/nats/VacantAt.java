package dev.mandate.nats;

import dev.mandate.spi.Basis;

/**
 * A vacant key.
 *
 * @param revision the revision of the marker that a release left, or 0 for an empty key: all such vacancies of a key
 *     look the same, so a write based on one of them may land in a later one
 * @param isDeleted whether the marker is another program's deletion, which the server may replace by its own marker
 *     when it expires
 */
record VacantAt(long revision, boolean isDeleted) implements Basis {
    VacantAt(long revision) {
        this(revision, false);
    }
}
