package dev.mandate.spring;

import org.jspecify.annotations.Nullable;

/** Why the application can't start with Mandate, in one sentence, and what to do. Never contains a secret. */
final class MandateStartException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String action;

    MandateStartException(String what, String action) {
        this(what, action, null);
    }

    MandateStartException(String what, String action, @Nullable Throwable cause) {
        super(what, cause);
        this.action = action;
    }

    String action() {
        return action;
    }
}
