/**
 * The pure state machines that decide who may believe that it leads, and until when.
 *
 * <p>Nothing here reads a clock, draws a random number, starts a thread, opens a socket or logs: time is an argument,
 * randomness comes through the constructor, and actions to take are returned as a list. The same code runs under the
 * real runtime and under the simulator. The single concession to threads is {@link dev.mandate.engine.LeaseCell}, an
 * atomic reference, because {@code isValid()} is asked on the caller's thread.
 *
 * <p>Start with {@link dev.mandate.engine.ElectionMachine}: its table is the specification of one election.
 * {@link dev.mandate.engine.SessionMachine} keeps the lease that elections share,
 * {@link dev.mandate.engine.CandidateMachine} routes between all machines of a client,
 * {@link dev.mandate.engine.FollowingMachine} follows the records below a prefix, and
 * {@link dev.mandate.engine.TidyingMachine} removes what crashed instances left. All arithmetic is in
 * {@link dev.mandate.engine.LeaseTiming}.
 */
@NullMarked
package dev.mandate.engine;

import org.jspecify.annotations.NullMarked;
