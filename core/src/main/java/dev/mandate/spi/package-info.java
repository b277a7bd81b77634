/**
 * What the author of a store implements: one compare-and-set register with a lease, in six verbs.
 *
 * <p>A store does <em>not</em> have to count time for a leader, retry, remember attempts, or decide who leads. The
 * engine does all of that once, for every store. A store <strong>must</strong> make every write conditional on the
 * basis it is given, answer reads linearizably, and let a stage fail whenever it does not know what happened.
 *
 * <p>Writes have exactly three answers: {@link dev.mandate.spi.WriteOutcome.Written written}, {@link
 * dev.mandate.spi.WriteOutcome.Refused refused} (the write did not and will not happen), or a failed stage (unknown: it
 * may have happened, or may still happen).
 */
@NullMarked
package dev.mandate.spi;

import org.jspecify.annotations.NullMarked;
