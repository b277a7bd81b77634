/**
 * What the commands of {@code mandate} share. Not a library: nothing here is for use from outside.
 *
 * <p>{@link dev.mandate.console.Program} calls a command and reports its failure; {@link
 * dev.mandate.console.StoreAddress} finds the store, and only it holds the secrets of a store's URL. Results go to
 * standard output, messages to standard error.
 */
@NullMarked
package dev.mandate.console;

import org.jspecify.annotations.NullMarked;
