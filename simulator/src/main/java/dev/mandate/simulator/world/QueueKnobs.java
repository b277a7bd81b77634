package dev.mandate.simulator.world;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Candidates that queue for their elections, first come first.
 *
 * @param rounds how often the leader resigns when all is well again, to see who comes next
 */
record QueueKnobs(int rounds) {
    /** A stream of its own: a world without queues is what it was before there were any. */
    private static final long STREAM = 0x7175657565L;

    /** Of the worlds in which nobody else says who tries first, which is every other, one in so many has queues. */
    private static final int WORLDS = 2;

    private static final int ROUNDS_MAX = 4;

    /** The queues of the world of {@code seed}; null for none. */
    static @Nullable QueueKnobs draw(long seed, Knobs knobs) {
        SplittableRandom random = new SplittableRandom(seed ^ STREAM);
        boolean has = random.nextInt(WORLDS) == 0 && knobs.order == null || knobs.aim == Aim.QUEUES;
        if (!has || knobs.aim.isClockPair()) {
            return null;
        }
        // It takes long, and most worlds are for what happens under faults.
        boolean looks = knobs.aim == Aim.QUEUES || random.nextInt(4) == 0;
        return new QueueKnobs(looks ? 1 + random.nextInt(ROUNDS_MAX) : 0);
    }

    @Override
    public String toString() {
        return rounds + " resignations in the end";
    }
}
