/**
 * What must hold after every event, one small checker per promise. The checkers take plain facts and know neither the
 * engine's machines nor the world, so tests can feed them handmade histories that they must reject.
 */
@NullMarked
package dev.mandate.simulator.check;

import org.jspecify.annotations.NullMarked;
