/**
 * Elections in a key-value bucket of NATS JetStream.
 *
 * <p>What is <em>not</em> promised, first. The servers confirm a write before it is on the disk, unless they are told to sync always: after a
 * power failure a leader's record may be gone while it still believes. Leases end by the servers' wall clocks: one that is set forward by more
 * than the allowance ends a lease before its leader stops believing. What other programs believe that write to the same keys is not bounded by
 * anything here.
 */
@NullMarked
package dev.mandate.nats;

import org.jspecify.annotations.NullMarked;
