/**
 * Deterministic worlds: the real machines on virtual clocks, with a model of store, network and nemesis, from one seed.
 */
@NullMarked
package dev.mandate.simulator.world;

import org.jspecify.annotations.NullMarked;
