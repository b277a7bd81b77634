package dev.mandate.simulator.world;

import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A service whose instances the candidates are, beside their elections. Chances are from 0 to 1.
 *
 * @param registers a candidate registers when it begins
 * @param follows a candidate follows the service
 * @param isRenamed whether an instance has a new id after each start; otherwise it keeps its id
 * @param steps how often somebody registers, updates, leaves, or deletes a registration by hand
 */
record ServiceKnobs(double registers, double follows, boolean isRenamed, int steps) {
    /** Its own random stream, so that services change nothing in worlds without one. */
    private static final long STREAM = 0x73657276696365L;

    /** One world in so many has a service. */
    private static final int WORLDS = 4;

    private static final int STEPS_MAX = 24;

    /** The service of the world of {@code seed}, or null. */
    static @Nullable ServiceKnobs draw(long seed, Knobs knobs) {
        SplittableRandom random = new SplittableRandom(seed ^ STREAM);
        boolean has = random.nextInt(WORLDS) == 0 || knobs.aim == Aim.SERVICES;
        if (!has || knobs.aim.isClockPair()) {
            return null;
        }
        return new ServiceKnobs(
                0.5 + random.nextDouble() / 2,
                0.5 + random.nextDouble() / 2,
                random.nextBoolean(),
                random.nextInt(STEPS_MAX));
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "registered by %.1f %%, followed by %.1f %%, another id after each start %s, %d steps",
                100 * registers,
                100 * follows,
                isRenamed,
                steps);
    }
}
