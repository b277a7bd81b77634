/**
 * The pure state machines that decide who may believe to lead, and until when.
 *
 * <p>Nothing here reads a clock, draws a random number, starts a thread, opens a socket or logs: time is an argument, randomness is handed to
 * the constructor, and what is to be done comes back as a list of actions. The same code runs under the real runtime and under the
 * simulator. The single concession to threads is {@link dev.mandate.engine.LeaseCell}, an atomic reference, because {@code isValid()} is asked
 * on the caller's thread.
 */
@NullMarked
package dev.mandate.engine;

import org.jspecify.annotations.NullMarked;
