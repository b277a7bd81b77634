/**
 * One member of a group, or a guest of one: its voter, its calls and its order, as one machine.
 *
 * <p>Everything here is pure, as in {@code dev.mandate.peers.register}: time, randomness and messages are passed in,
 * and what to send, store or report is returned.
 */
@NullMarked
package dev.mandate.peers.node;

import org.jspecify.annotations.NullMarked;
