/**
 * The {@code mandate} command. Not a library: nothing here is for use from outside.
 *
 * <p>Starts in {@link dev.mandate.cli.Main}; each command has its class. Results go to standard output, messages to
 * standard error. Only {@link dev.mandate.console.StoreAddress} holds the secrets of a store's URL.
 */
@NullMarked
package dev.mandate.cli;

import org.jspecify.annotations.NullMarked;
