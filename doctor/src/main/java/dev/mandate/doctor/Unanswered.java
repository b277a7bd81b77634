package dev.mandate.doctor;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.Causes;

/** A question to the store that got no answer; the message says why, in a sentence without secrets. */
final class Unanswered extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean isSetup;
    private final boolean isDenied;

    /** No answer came in time. */
    Unanswered(String message) {
        super(message);
        this.isSetup = false;
        this.isDenied = false;
    }

    /** The store said why. */
    Unanswered(Throwable thrown) {
        this(Causes.unwrapped(thrown), true);
    }

    private Unanswered(Throwable cause, boolean unused) {
        super(sentence(cause), cause);
        this.isSetup = cause instanceof StoreSetupException;
        this.isDenied = cause instanceof StoreSetupException setup && setup.isDenied();
    }

    /** Whether it will not work until somebody changes the setup; if so, nothing was written. */
    boolean isSetup() {
        return isSetup;
    }

    /** Whether the store refused the credentials, or they lack a right: then say what right the verb takes. */
    boolean isDenied() {
        return isDenied;
    }

    String sentence() {
        return String.valueOf(getMessage());
    }

    private static String sentence(Throwable cause) {
        String said = cause.getMessage();
        if (cause instanceof ElectionException && said != null) {
            return said;
        }
        return cause.getClass().getSimpleName() + (said == null ? "" : ": " + said);
    }
}
