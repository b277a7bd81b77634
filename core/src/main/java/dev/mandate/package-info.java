/**
 * Leader election for applications.
 *
 * <p><strong>What is not promised.</strong> A lease does not stop a paused process from acting late: only a resource that checks the
 * {@link dev.mandate.FencingToken fencing token} does. Exclusion of belief rests on clock <em>rates</em>: two machines' clocks may differ by any
 * amount, but must not run apart faster than {@code q} (default 1.1). It does not cover a machine whose clocks all stood still
 * (a paused, migrated or restored virtual machine), nor, where the system does not tell the time since boot as Linux does, a wall
 * clock set back during a suspension. Nobody leads while the store cannot be reached for longer than a lease.
 *
 * <p><strong>What is promised</strong>: belief is exclusive, effects are exclusive where they are fenced, somebody leads within a bound that
 * {@link dev.mandate.ElectionClient#explain()} computes for the settings given, you are told when leadership ends, and an answer that never
 * came is never taken for a win or a loss.
 */
@NullMarked
package dev.mandate;

import org.jspecify.annotations.NullMarked;
