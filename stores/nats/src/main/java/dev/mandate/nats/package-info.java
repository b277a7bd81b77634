/**
 * Elections in a key-value bucket of NATS JetStream.
 *
 * <p>What is <em>not</em> promised: servers confirm a write before it is on disk, unless {@code sync_interval} is
 * {@code always}, so after a power failure a leader's record may be gone while it still believes. Leases end by the
 * servers' wall clocks: a clock set forward by more than {@code clockStep} ends a lease before its leader stops
 * believing. Nothing here limits what other programs believe that write to the same keys.
 */
@NullMarked
package dev.mandate.nats;

import org.jspecify.annotations.NullMarked;
