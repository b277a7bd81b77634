package dev.mandate.simulator.world;

import dev.mandate.simulator.check.Invariant;
import org.jspecify.annotations.Nullable;

/**
 * What became of one schedule.
 *
 * @param hash of all that happened, in order; the same seed gives the same hash
 * @param steps how many events happened
 * @param endedAtNanos virtual time at the end
 * @param broken the first invariant that was broken, or null
 * @param words how it was broken
 */
public record Outcome(
        long hash, long steps, long endedAtNanos, @Nullable Invariant broken, String words) {}
