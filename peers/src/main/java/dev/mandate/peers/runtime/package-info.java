/**
 * Runs a node: its thread, its disk, its messages, and the clients that share it. Start with
 * {@link dev.mandate.peers.runtime.RunningNode}.
 */
@NullMarked
package dev.mandate.peers.runtime;

import org.jspecify.annotations.NullMarked;
