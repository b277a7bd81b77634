/**
 * The majority register: voters that promise and accept, and proposals that read and write by a majority of them.
 *
 * <p>{@link dev.mandate.peers.register.Voter} is the side that answers, {@link dev.mandate.peers.register.Proposal} the
 * side that asks.
 *
 * <p>Everything here is pure: time and randomness are passed in, and what to send or store is returned. The safety
 * argument is in {@code docs/adr/0035-a-majority-register-of-the-members.md}. Nothing here is safe for use by several
 * threads.
 */
@NullMarked
package dev.mandate.peers.register;

import org.jspecify.annotations.NullMarked;
