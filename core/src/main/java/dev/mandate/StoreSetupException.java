package dev.mandate;

import org.jspecify.annotations.Nullable;

/**
 * The store will not work until somebody changes something: credentials, a right, a missing table, a file that is not a
 * database. Nothing was written.
 */
public final class StoreSetupException extends ElectionException {
    private static final long serialVersionUID = 2L;

    private final boolean denied;

    /** The message says what is wrong and what to do, without secrets. */
    public StoreSetupException(String message) {
        super(message);
        this.denied = false;
    }

    /** The message says what is wrong and what to do, without secrets. */
    public StoreSetupException(String message, Throwable cause) {
        super(message, cause);
        this.denied = false;
    }

    private StoreSetupException(boolean denied, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.denied = denied;
    }

    /** An exception with {@link #isDenied}: the store refused the credentials, or they lack a right. */
    public static StoreSetupException denied(String message, @Nullable Throwable cause) {
        return new StoreSetupException(true, message, cause);
    }

    /** Whether the store refused the credentials, or they lack a right. False if unknown. */
    public boolean isDenied() {
        return denied || getCause() instanceof StoreSetupException setup && setup.isDenied();
    }
}
