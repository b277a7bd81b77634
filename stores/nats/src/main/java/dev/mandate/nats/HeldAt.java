package dev.mandate.nats;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Liveness;

/** The revision at which a key was written: a message number of the bucket's stream, unique in the stream's life. */
record HeldAt(long revision) implements Basis, Liveness {}
