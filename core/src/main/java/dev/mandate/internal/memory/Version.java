package dev.mandate.internal.memory;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Liveness;

/** The revision a key stands at, or the count of a record's renewals. */
record Version(long number) implements Basis, Liveness {}
