package dev.mandate.cli.run;

import dev.mandate.console.Console;
import dev.mandate.console.ExitCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Messages of a command that runs a program, on standard error. Never waits long for a reader. Thread-safe. */
class Messages implements AutoCloseable {
    private static final int SIGNALS = 64;

    /** Runs a task in a second. */
    static final Executor LATER = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

    private final LineWriter lines;
    private final boolean quiet;

    Messages(Console console, boolean quiet) {
        this.lines = new LineWriter(console::say);
        this.quiet = quiet;
    }

    /** Reports something that is no error, unless quiet. */
    final void note(String text) {
        if (!quiet) {
            lines.say(text);
        }
    }

    /** {@link #note} in a second, if it is still so. */
    final void noteLater(String text, BooleanSupplier stillSo) {
        noteLater(Duration.ofSeconds(1), text, stillSo);
    }

    /** {@link #note} after {@code delay}, if it is still so. */
    final void noteLater(Duration delay, String text, BooleanSupplier stillSo) {
        CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS).execute(() -> {
            if (stillSo.getAsBoolean()) {
                note(text);
            }
        });
    }

    /** Reports an error, even when quiet. */
    final void say(String text) {
        lines.say(text);
    }

    /** Reports how the command ended. */
    final void ended(int code) {
        note(
                code > ExitCode.SIGNAL && code <= ExitCode.SIGNAL + SIGNALS
                        ? "the command was ended by signal " + (code - ExitCode.SIGNAL)
                        : "the command ended with exit code " + code);
    }

    /** Waits at most a second until all is written. */
    @Override
    public final void close() {
        lines.close();
    }
}
