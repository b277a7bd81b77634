package dev.mandate;

/**
 * The store did not answer in time, or said that it cannot answer now. The request may or may not have taken effect,
 * and may still do so. Trying again later is right.
 */
public final class StoreUnavailableException extends ElectionException {
    private static final long serialVersionUID = 1L;

    /** The message names the store (without secrets), what was tried and for how long. */
    public StoreUnavailableException(String message) {
        super(message);
    }

    /** The message names the store (without secrets), what was tried and for how long. */
    public StoreUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
