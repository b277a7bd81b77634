package dev.mandate.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * Finds the causes of a failure, for stores that explain failures. Never fails, however odd the failure is. Safe for
 * use from many threads.
 */
public final class Causes {
    /** The search depth: a chain of causes may be circular. */
    public static final int DEPTH_MAX = 10;

    /** The most characters of a {@link #line}. */
    public static final int LINE_MAX = 300;

    private Causes() {}

    /**
     * What stages wrapped: the first that is not a {@link CompletionException} or {@link
     * ExecutionException} with a cause.
     */
    public static Throwable unwrapped(Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; depth < DEPTH_MAX; depth++) {
            Throwable inner = cause.getCause();
            boolean isWrapper = cause instanceof CompletionException || cause instanceof ExecutionException;
            if (!isWrapper || inner == null) {
                break;
            }
            cause = inner;
        }
        return cause;
    }

    /** The failure, its cause, the cause of that, and so on: 1 to {@value #DEPTH_MAX}. */
    public static List<Throwable> chain(Throwable thrown) {
        List<Throwable> chain = new ArrayList<>();
        Throwable cause = thrown;
        while (cause != null && chain.size() < DEPTH_MAX) {
            chain.add(cause);
            cause = cause.getCause();
        }
        return chain;
    }

    /** Whether the failure, or one of its causes, is of that type. */
    public static boolean has(Throwable thrown, Class<? extends Throwable> type) {
        return chain(thrown).stream().anyMatch(type::isInstance);
    }

    /** The failure's message, or else its class, as an {@link Excerpt} of at most {@value #LINE_MAX} characters. */
    public static String line(Throwable thrown) {
        String message = thrown.getMessage();
        return Excerpt.line(message == null ? thrown.getClass().getSimpleName() : message, LINE_MAX);
    }
}
