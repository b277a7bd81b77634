/**
 * Orders: who tries first when an election has no leader. Race, bully and ring, as pure state machines.
 *
 * <p><strong>An order elects nobody.</strong> It gives each instance a <em>place</em> for a vacancy, and an instance
 * waits {@code min(place, 8)} steps before it asks the register for the lead. Only the register decides who leads.
 * Messages may be lost, late, repeated or out of order, and peers may disagree about everything: then several try at
 * once, and one wins.
 *
 * <p>Nothing here has a clock, thread, random source, input or output: time and randomness are passed in.
 */
@NullMarked
package dev.mandate.peers.order;

import org.jspecify.annotations.NullMarked;
