/**
 * Deterministic worlds: the real machines on virtual clocks, a model of a store, a network and a nemesis. One seed decides everything.
 */
@NullMarked
package dev.mandate.simulator.world;

import org.jspecify.annotations.NullMarked;
