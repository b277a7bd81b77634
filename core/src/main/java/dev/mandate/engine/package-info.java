/**
 * The pure state machines that decide who may believe that it leads, and until when.
 *
 * <p>Nothing here reads a clock, draws a random number, starts a thread, opens a socket or logs: time is an argument,
 * randomness comes through the constructor, and actions to take are returned as a list. The same code runs under the
 * real runtime and under the simulator. The single concession to threads is {@link dev.mandate.engine.LeaseCell}, an
 * atomic reference, because {@code isValid()} is asked on the caller's thread.
 */
@NullMarked
package dev.mandate.engine;

import org.jspecify.annotations.NullMarked;
