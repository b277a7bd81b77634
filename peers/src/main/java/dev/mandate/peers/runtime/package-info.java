/** Runs a node: its thread, its disk, its messages, and the clients that share it. */
@NullMarked
package dev.mandate.peers.runtime;

import org.jspecify.annotations.NullMarked;
