package dev.mandate.peers.transport;

import org.jspecify.annotations.Nullable;

/** What follows from a frame of a handshake. */
sealed interface HandshakeStep {
    /** Send this frame, and wait for the next one. */
    record Send(byte[] frame) implements HandshakeStep {}

    /**
     * The other side is known and welcome.
     *
     * @param frame to be sent before anything else; null for none
     * @param outgoing signs what is sent
     * @param incoming verifies what comes
     */
    record Established(byte @Nullable [] frame, Introduction theirs, FrameSeal outgoing, FrameSeal incoming)
            implements HandshakeStep {}

    /**
     * One side does not want the other one. Send the frame and close.
     *
     * @param frame null for none
     * @param theirs null if it is not known who the other side is
     */
    record Refused(byte @Nullable [] frame, @Nullable Introduction theirs, Refusal refusal) implements HandshakeStep {}
}
