package dev.mandate.engine;

import java.util.Random;

/** Randomness that comes again with its seed. */
final class SeededEntropy implements Entropy {
    private final Random random;

    SeededEntropy(long seed) {
        this.random = new Random(seed);
    }

    @Override
    public long nextLong() {
        return random.nextLong();
    }
}
