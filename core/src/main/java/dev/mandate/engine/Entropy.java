package dev.mandate.engine;

import dev.mandate.spi.Id;

/** A machine's source of randomness: in production its identifiers are secure; in the simulator all is seeded. */
@FunctionalInterface
public interface Entropy {
    /** 64 random bits. */
    long nextLong();

    /** A new identifier, never {@link Id#NONE}. */
    default Id nextId() {
        return new Id(nextLong(), nextLong() | 1);
    }

    /** Uniformly distributed from 0 (included) to {@code bound} (excluded); 0 if {@code bound} is 0 or less. */
    default long below(long bound) {
        return bound <= 0 ? 0 : Long.remainderUnsigned(nextLong(), bound);
    }

    /** {@code nanos} changed by at most a fifth in either direction. */
    default long jittered(long nanos) {
        return nanos - nanos / 5 + below(2 * (nanos / 5) + 1);
    }
}
