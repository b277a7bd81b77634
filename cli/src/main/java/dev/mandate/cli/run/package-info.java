/**
 * {@code mandate run}: a command that runs only while its candidate leads.
 *
 * <p>What keeps the command from outliving the lead is not in this process, which may be killed or frozen at any time, but in {@code
 * supervisor.bash}; see {@link dev.mandate.cli.run.SupervisedCommand}. What defeats both is said in {@code docs/cli.md}.
 */
@NullMarked
package dev.mandate.cli.run;

import org.jspecify.annotations.NullMarked;
