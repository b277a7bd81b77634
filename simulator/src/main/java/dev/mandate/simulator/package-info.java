/** Runs the engine through seeded schedules of faults; see {@link dev.mandate.simulator.Main}. */
@NullMarked
package dev.mandate.simulator;

import org.jspecify.annotations.NullMarked;
