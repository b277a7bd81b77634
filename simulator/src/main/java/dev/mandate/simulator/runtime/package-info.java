/**
 * Worlds of the real runtime: several clients, each with its loop, watchdog, callbacks and tasks, on virtual clocks. One thread runs at a time, and
 * every call of {@link dev.mandate.internal.Host} is a point where it may be descheduled. All is decided by one seed.
 */
@NullMarked
package dev.mandate.simulator.runtime;

import org.jspecify.annotations.NullMarked;
