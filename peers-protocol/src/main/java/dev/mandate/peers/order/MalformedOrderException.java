package dev.mandate.peers.order;

/** Bytes that are not messages of an order: a peer of another version, or no peer at all. None of them may be used. */
public final class MalformedOrderException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedOrderException(String message) {
        super(message);
    }
}
