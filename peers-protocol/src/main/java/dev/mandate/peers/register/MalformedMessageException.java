package dev.mandate.peers.register;

/** Bytes that are no message. The text says what was wrong, and quotes none of the bytes. */
public final class MalformedMessageException extends Exception {
    private static final long serialVersionUID = 1;

    /** {@code what} was wrong, one line. */
    public MalformedMessageException(String what) {
        super(what);
    }

    /** {@code what} was wrong, one line. */
    public MalformedMessageException(String what, Throwable cause) {
        super(what, cause);
    }
}
