package dev.mandate.peers.transport;

/** The first byte of every frame after its length. */
final class FrameType {
    static final byte HELLO = 1;
    static final byte CHALLENGE = 2;
    static final byte PROOF = 3;
    static final byte ACCEPT = 4;
    /** A signed refusal. */
    static final byte REFUSE = 5;
    /** An unsigned refusal, because the sides share no secret or no version. */
    static final byte DENY = 6;
    /** The initiator accepts, too. */
    static final byte READY = 7;

    static final byte DATA = 16;
    static final byte PING = 17;
    static final byte PONG = 18;

    private FrameType() {}
}
