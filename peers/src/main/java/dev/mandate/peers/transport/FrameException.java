package dev.mandate.peers.transport;

/** The other side broke the protocol: close its connection. The message is one sentence without any of its data. */
final class FrameException extends Exception {
    private static final long serialVersionUID = 1;

    FrameException(String message) {
        // Strangers cause it at will: no stack trace.
        super(message, null, false, false);
    }
}
