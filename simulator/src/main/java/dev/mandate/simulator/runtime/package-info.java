/**
 * Worlds of the real runtime: clients with loop, watchdog, callbacks and tasks, on virtual clocks, decided by one seed.
 * One thread runs at a time and may be descheduled at every call of {@link dev.mandate.internal.Host}.
 */
@NullMarked
package dev.mandate.simulator.runtime;

import org.jspecify.annotations.NullMarked;
