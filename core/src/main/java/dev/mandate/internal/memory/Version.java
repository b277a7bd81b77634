package dev.mandate.internal.memory;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Liveness;

/** The revision of a key, or the count of a record's renewals. */
record Version(long number) implements Basis, Liveness {
    /** The number of a basis that this package made. */
    static long number(Basis basis) {
        if (basis instanceof Version version) {
            return version.number;
        }
        throw new IllegalArgumentException("a basis of another store: " + basis);
    }
}
