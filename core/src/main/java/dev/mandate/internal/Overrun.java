package dev.mandate.internal;

import org.jspecify.annotations.Nullable;

/** Not an error of ours: carries into the log the stack of work that does not stop. */
final class Overrun extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private Overrun(String message, StackTraceElement[] stack) {
        super(message, null, false, true);
        setStackTrace(stack);
    }

    /** Where the work in {@code thread} is now, if that is known. */
    static @Nullable Overrun of(@Nullable Thread thread) {
        return thread == null ? null : new Overrun("stuck in thread " + thread.getName(), thread.getStackTrace());
    }
}
