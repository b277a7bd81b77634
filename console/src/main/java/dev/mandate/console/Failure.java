package dev.mandate.console;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import java.util.function.Supplier;

/** Why a command cannot go on: one sentence for people, and the exit code. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /** The sentence says what is wrong with which input and what to do, without secrets. */
    public Failure(int exitCode, String sentence) {
        super(sentence);
        this.exitCode = exitCode;
    }

    /** The sentence says what is wrong with which input and what to do, without secrets. */
    public Failure(int exitCode, String sentence, Throwable cause) {
        super(sentence, cause);
        this.exitCode = exitCode;
    }

    /** {@code thrown} as a failure: only its message if that is written for people, else its class name and message. */
    public static Failure of(Throwable thrown) {
        if (thrown instanceof Failure failure) {
            return failure;
        }
        String said = thrown.getMessage();
        if (thrown instanceof StoreUnavailableException && said != null) {
            return new Failure(ExitCode.UNAVAILABLE, said, thrown);
        }
        if (thrown instanceof StoreSetupException && said != null) {
            return new Failure(ExitCode.SETUP, said, thrown);
        }
        if (thrown instanceof IllegalArgumentException && said != null) {
            return new Failure(ExitCode.BAD_INPUT, said, thrown);
        }
        String name = thrown.getClass().getSimpleName();
        return new Failure(
                ExitCode.UNEXPECTED,
                "unexpected " + name + (said == null ? "" : ": " + said) + "; --debug shows where",
                thrown);
    }

    /** The result of {@code listing}; an {@link IllegalStateException} (too much to list) becomes a failure. */
    public static <T> T bounded(Supplier<T> listing) {
        try {
            return listing.get();
        } catch (IllegalStateException e) {
            throw new Failure(ExitCode.UNEXPECTED, String.valueOf(e.getMessage()), e);
        }
    }

    /** The exit code. */
    public int exitCode() {
        return exitCode;
    }
}
