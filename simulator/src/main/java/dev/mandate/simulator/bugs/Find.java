package dev.mandate.simulator.bugs;

import dev.mandate.simulator.check.Invariant;
import org.jspecify.annotations.Nullable;

/**
 * What became of the hunt for a bug.
 *
 * @param seed the seed that found it; one past the last that was tried if none did
 * @param invariant what was broken, or null if nothing was
 * @param words how
 */
public record Find(long seed, @Nullable Invariant invariant, String words) {
    /** How many seeds it took. */
    public long seeds() {
        return seed - PlantedBug.SEED_BASE + 1;
    }
}
