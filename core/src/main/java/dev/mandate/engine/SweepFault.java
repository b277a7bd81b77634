package dev.mandate.engine;

import org.jspecify.annotations.Nullable;

/**
 * The store refuses to list until somebody changes something, or no longer does. Meanwhile held records
 * are read one by one.
 *
 * @param message why, or null
 */
public record SweepFault(@Nullable String message) implements Action {}
