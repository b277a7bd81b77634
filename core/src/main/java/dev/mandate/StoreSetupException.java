package dev.mandate;

/**
 * It will not work until somebody changes something: credentials, a right, a missing table, a file that is not a database.
 * Nothing was written.
 */
public final class StoreSetupException extends ElectionException {
    private static final long serialVersionUID = 1L;

    /** The message says what is wrong and what to do, without secrets. */
    public StoreSetupException(String message) {
        super(message);
    }

    /** The message says what is wrong and what to do, without secrets. */
    public StoreSetupException(String message, Throwable cause) {
        super(message, cause);
    }
}
