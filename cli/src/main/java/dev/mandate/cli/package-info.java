/**
 * The {@code mandate} command. Not a library: nothing here is for use from outside.
 *
 * <p>{@link dev.mandate.cli.Main} names all commands, those of other modules too; each has its class, {@code
 * StatusCommand} for {@code mandate status}, with its options, its text and its JSON.
 */
@NullMarked
package dev.mandate.cli;

import org.jspecify.annotations.NullMarked;
