package dev.mandate.simulator.world;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Candidates queue for their elections, first come, first served.
 *
 * @param rounds how often the leader resigns when all is well again, to see who follows
 */
record QueueKnobs(int rounds) {
    /** Its own random stream, so that queues change nothing in worlds without any. */
    private static final long STREAM = 0x7175657565L;

    /** Of the worlds without an order, which are half of all, one in so many has queues. */
    private static final int WORLDS = 2;

    private static final int ROUNDS_MAX = 4;

    /** The queues of the world of {@code seed}; null for none. */
    static @Nullable QueueKnobs draw(long seed, Knobs knobs) {
        SplittableRandom random = new SplittableRandom(seed ^ STREAM);
        boolean has = random.nextInt(WORLDS) == 0 && knobs.order == null || knobs.aim == Aim.QUEUES;
        if (!has || knobs.aim.isClockPair()) {
            return null;
        }
        // Rounds take long, and most worlds are there to test faults.
        boolean looks = knobs.aim == Aim.QUEUES || random.nextInt(4) == 0;
        return new QueueKnobs(looks ? 1 + random.nextInt(ROUNDS_MAX) : 0);
    }

    @Override
    public String toString() {
        return rounds + " resignations in the end";
    }
}
