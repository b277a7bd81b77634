/**
 * {@code mandate demo}, and the candidate processes that it and {@code mandate bench} start, kill and freeze.
 *
 * <p>{@link dev.mandate.demo.Worker} runs in such a process; {@link dev.mandate.demo.WorkerProcess} is its
 * handle here; {@link dev.mandate.demo.Cast} holds all of them and what they reported.
 */
@NullMarked
package dev.mandate.demo;

import org.jspecify.annotations.NullMarked;
