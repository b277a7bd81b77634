/**
 * {@code mandate demo}, and the candidate processes that it and {@code mandate bench} start, kill and freeze.
 *
 * <p>{@link dev.mandate.cli.demo.Worker} runs in such a process; {@link dev.mandate.cli.demo.WorkerProcess} is its
 * handle here; {@link dev.mandate.cli.demo.Cast} holds all of them and what they reported.
 */
@NullMarked
package dev.mandate.cli.demo;

import org.jspecify.annotations.NullMarked;
