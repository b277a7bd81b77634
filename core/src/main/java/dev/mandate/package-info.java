/**
 * Leader election for applications.
 *
 * <p><strong>What is not promised.</strong> A lease does not stop a paused process from acting late: only a resource
 * that checks the {@link dev.mandate.FencingToken fencing token} does. Exclusive belief rests on clock <em>rates</em>:
 * two machines' clocks may differ by any amount, but their rates by a factor of at most {@code maxClockRatio} (default
 * 1.1). It does not cover a machine whose clocks all stood still (a paused, migrated or restored virtual machine). Nor
 * does it cover a wall clock set back during a suspension, where the system does not report the time since boot as
 * Linux does. Nobody leads once the store has been unreachable for a lease.
 *
 * <p><strong>What is promised</strong>: belief is exclusive, effects are exclusive where they are fenced, somebody
 * leads within a bound that {@link dev.mandate.ElectionClient#explain()} computes from your settings, you are told when
 * leadership ends, and a missing answer is never taken for a win or a loss.
 */
@NullMarked
package dev.mandate;

import org.jspecify.annotations.NullMarked;
