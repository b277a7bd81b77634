/**
 * {@code mandate run}: a command that runs only while its candidate leads; and {@code mandate register}: an instance
 * that is registered while its command runs.
 *
 * <p>{@link dev.mandate.cli.run.CommandTask} runs the command for both, and knows the exit code.
 *
 * <p>This process may be killed or frozen at any time, so {@code supervisor.bash} keeps the command from outliving the
 * term; see {@link dev.mandate.cli.run.SupervisedCommand}. {@code docs/cli.md} says what defeats both.
 */
@NullMarked
package dev.mandate.cli.run;

import org.jspecify.annotations.NullMarked;
