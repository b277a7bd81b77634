package dev.mandate.simulator.bugs;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.StoreKind;

/**
 * The schedule that found a bug.
 *
 * @param seed the seed of the schedule
 * @param kind the kind of store it ran on
 * @param seeds how many seeds were tried, this one included
 * @param invariant the invariant it broke
 * @param words how it broke it
 */
public record Find(long seed, StoreKind kind, long seeds, Invariant invariant, String words) {}
