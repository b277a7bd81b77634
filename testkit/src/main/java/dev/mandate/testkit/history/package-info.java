/**
 * What real processes did, written down as it happens, and the properties it must have.
 *
 * <p>Every process appends one JSON line per event to its own file, with the monotonic clock that all processes of one
 * machine share (on Linux {@link java.lang.System#nanoTime()} is {@code CLOCK_MONOTONIC}).
 * {@link dev.mandate.testkit.history.Trial} runs the processes and disturbs them;
 * {@link dev.mandate.testkit.history.HistoryCheck} judges afterwards.
 */
@NullMarked
package dev.mandate.testkit.history;

import org.jspecify.annotations.NullMarked;
