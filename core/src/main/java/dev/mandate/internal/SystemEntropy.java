package dev.mandate.internal;

import dev.mandate.engine.Entropy;
import java.security.SecureRandom;
import java.util.concurrent.ThreadLocalRandom;

/** Secure identifiers. Pauses only have to differ between clients, so they come from a generator that costs less. */
final class SystemEntropy implements Entropy {
    private final SecureRandom random = new SecureRandom();

    @Override
    public long nextLong() {
        return random.nextLong();
    }

    @Override
    public long below(long bound) {
        return bound <= 0 ? 0 : ThreadLocalRandom.current().nextLong(bound);
    }
}
