/**
 * A service of several workers without a coordinator of its own: all of them register, exactly one polls the legacy
 * table and hands each new event to a registered worker, and every worker does what it was handed. The same code on
 * every store: only its URL changes.
 */
@NullMarked
package dev.mandate.examples.workers;

import org.jspecify.annotations.NullMarked;
