/**
 * A service of several workers without a coordinator: all register, exactly one polls the legacy table and assigns each
 * new event to a registered worker, and every worker does its events. The code is the same on every store.
 */
@NullMarked
package dev.mandate.examples.workers;

import org.jspecify.annotations.NullMarked;
