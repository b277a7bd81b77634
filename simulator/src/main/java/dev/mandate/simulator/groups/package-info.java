/**
 * Deterministic worlds of groups without a store: the real engine and the real node in every process, on virtual clocks, with a model of the
 * network and of disks. One seed decides everything.
 */
@NullMarked
package dev.mandate.simulator.groups;

import org.jspecify.annotations.NullMarked;
