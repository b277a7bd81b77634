package dev.mandate;

import org.jspecify.annotations.Nullable;

/** What can go wrong when using an election. The family is closed. */
public abstract sealed class ElectionException extends RuntimeException
        permits LeadershipLostException, StoreUnavailableException, StoreSetupException {
    private static final long serialVersionUID = 1L;

    ElectionException(String message) {
        super(message);
    }

    ElectionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
