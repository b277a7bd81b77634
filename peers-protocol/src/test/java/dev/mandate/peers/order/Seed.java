package dev.mandate.peers.order;

import dev.mandate.engine.Entropy;
import java.util.SplittableRandom;

/** Randomness from a seed. */
final class Seed implements Entropy {
    private final SplittableRandom random;

    Seed(long seed) {
        this.random = new SplittableRandom(seed);
    }

    @Override
    public long nextLong() {
        return random.nextLong();
    }

    int upTo(int bound) {
        return random.nextInt(bound);
    }

    boolean chance(double share) {
        return random.nextDouble() < share;
    }
}
