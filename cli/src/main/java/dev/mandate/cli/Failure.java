package dev.mandate.cli;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import java.util.function.Supplier;

/** Why a command cannot go on: one sentence for people, and what to end with. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /** The sentence says what is wrong with which input, and what to do; without secrets. */
    public Failure(int exitCode, String sentence) {
        super(sentence);
        this.exitCode = exitCode;
    }

    /** The sentence says what is wrong with which input, and what to do; without secrets. */
    public Failure(int exitCode, String sentence, Throwable cause) {
        super(sentence, cause);
        this.exitCode = exitCode;
    }

    /** {@code thrown} as a failure: the sentence of those that are written for people, else its name and what it says. */
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

    /** What {@code listing} gives; that there is more than it may list is said as it says it. */
    static <T> T bounded(Supplier<T> listing) {
        try {
            return listing.get();
        } catch (IllegalStateException e) {
            throw new Failure(ExitCode.UNEXPECTED, String.valueOf(e.getMessage()), e);
        }
    }

    /** What to end with. */
    public int exitCode() {
        return exitCode;
    }
}
