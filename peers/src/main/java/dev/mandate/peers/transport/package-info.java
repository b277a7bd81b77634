/**
 * Authenticated messages between the members of a group and their guests, over TCP, with the JDK alone.
 *
 * <p>What it promises: a payload that arrives was sent by a process that knows the group's secret, on this connection,
 * and arrives at most once. What it does not promise: that a payload arrives, that payloads of two connections arrive
 * in order, or that nobody on the path reads them. There is <strong>no confidentiality</strong>: frames are signed, not
 * encrypted.
 *
 * <p>A connection begins with three handshake frames and an answer, described in {@code Handshake}. After that each
 * frame is {@code length(4) type(1) payload HMAC(32)}, big-endian. The HMAC-SHA256 covers a counter per direction,
 * which is not sent, and the frame, under a key that is unique to the connection and direction.
 */
@NullMarked
package dev.mandate.peers.transport;

import org.jspecify.annotations.NullMarked;
