/**
 * Worlds of the real runtime: several clients, each with loop, watchdog, callbacks and tasks, on virtual clocks. One
 * thread runs at a time and may be descheduled at every call of {@link dev.mandate.internal.Host}. One seed decides
 * everything.
 */
@NullMarked
package dev.mandate.simulator.runtime;

import org.jspecify.annotations.NullMarked;
