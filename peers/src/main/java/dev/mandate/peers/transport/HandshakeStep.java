package dev.mandate.peers.transport;

import org.jspecify.annotations.Nullable;

/** The result of a frame of a handshake. */
sealed interface HandshakeStep {
    /** Send this frame, and wait for the next one. */
    record Send(byte[] frame) implements HandshakeStep {}

    /**
     * The other side is known and welcome.
     *
     * @param frame to be sent before anything else; null for none
     * @param outgoing signs outgoing frames
     * @param incoming verifies incoming frames
     */
    record Established(byte @Nullable [] frame, Introduction theirs, FrameSeal outgoing, FrameSeal incoming)
            implements HandshakeStep {}

    /**
     * One side does not want the other one. Send the frame and close.
     *
     * @param frame null for none
     * @param theirs null if the other side is not known
     */
    record Refused(byte @Nullable [] frame, @Nullable Introduction theirs, Refusal refusal) implements HandshakeStep {}
}
