/**
 * The {@code mandate} command. Not a library: nothing here is for use from outside.
 *
 * <p>Its starting point is {@link dev.mandate.cli.Main}; every command is a class of its own. What a command writes for people goes to
 * standard error, what it was asked for to standard output. Secrets of a store's URL are in {@link dev.mandate.cli.StoreAddress} and
 * nowhere else.
 */
@NullMarked
package dev.mandate.cli;

import org.jspecify.annotations.NullMarked;
