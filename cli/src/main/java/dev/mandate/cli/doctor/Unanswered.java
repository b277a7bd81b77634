package dev.mandate.cli.doctor;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.Causes;
import java.util.regex.Pattern;

/** A question to the store that got no answer; the message says why, in a sentence without secrets. */
final class Unanswered extends Exception {
    private static final long serialVersionUID = 1L;

    /** The words of stores about rights; "correct" is none. */
    private static final Pattern RIGHT = Pattern.compile(
            "\\b(rights?|denied|refuses?|refused|permissions?|ACLs?|credentials)\\b", Pattern.CASE_INSENSITIVE);

    private final boolean isSetup;

    /** No answer came in time. */
    Unanswered(String message) {
        super(message);
        this.isSetup = false;
    }

    /** The store said why. */
    Unanswered(Throwable thrown) {
        this(Causes.unwrapped(thrown), true);
    }

    private Unanswered(Throwable cause, boolean unused) {
        super(sentence(cause), cause);
        this.isSetup = cause instanceof StoreSetupException;
    }

    /** Whether it will not work until somebody changes something; then nothing was written. */
    boolean isSetup() {
        return isSetup;
    }

    /** Whether what is missing seems to be a right: what the verb takes is worth saying then. */
    boolean isRight() {
        return isSetup && RIGHT.matcher(sentence()).find();
    }

    /** The sentence. */
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
