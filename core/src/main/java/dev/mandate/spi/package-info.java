/**
 * What the author of a store implements: one compare-and-set register with a lease, in six verbs.
 *
 * <p>What a store does <em>not</em> have to do: count time for a leader, retry, remember attempts, or decide who leads. The
 * engine does all of that once, for every store. What a store <strong>must</strong> do: make every write conditional on
 * the basis it is given, answer reads linearizably, and let a stage fail whenever it does not know what happened.
 *
 * <p>Three answers to a write, and no fourth: {@link dev.mandate.spi.WriteOutcome.Written written}, {@link
 * dev.mandate.spi.WriteOutcome.Refused refused} (the write did not and will not happen), or a failed stage (unknown: it may
 * have happened, or may still happen).
 */
@NullMarked
package dev.mandate.spi;

import org.jspecify.annotations.NullMarked;
