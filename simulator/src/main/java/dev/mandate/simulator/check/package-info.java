/**
 * What must hold after every event, one small checker per promise. They are fed plain facts and know neither the engine's machines nor the
 * world, so that each of them is tested with handmade histories it has to reject.
 */
@NullMarked
package dev.mandate.simulator.check;

import org.jspecify.annotations.NullMarked;
