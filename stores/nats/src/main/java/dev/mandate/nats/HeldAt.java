package dev.mandate.nats;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Liveness;

/** The revision at which a key was written: the number of a message of the bucket's stream, never given twice in its life. */
record HeldAt(long revision) implements Basis, Liveness {}
