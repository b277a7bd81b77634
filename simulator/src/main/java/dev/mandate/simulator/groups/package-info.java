/**
 * Deterministic worlds of groups without a store: each process runs the real engine and the real node on virtual
 * clocks, with a model of the network and of disks. One seed decides everything.
 */
@NullMarked
package dev.mandate.simulator.groups;

import org.jspecify.annotations.NullMarked;
