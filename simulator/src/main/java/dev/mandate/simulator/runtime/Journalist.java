package dev.mandate.simulator.runtime;

import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/** The log of one process: foreign code to the runtime. */
final class Journalist implements System.Logger {
    private final Process process;

    Journalist(Process process) {
        this.process = process;
    }

    @Override
    public String getName() {
        return "simulated";
    }

    @Override
    public boolean isLoggable(Level level) {
        process.isolated("a logger");
        return true;
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, @Nullable String line, @Nullable Throwable thrown) {
        process.isolated("a logger");
        if (line != null) {
            process.world.note(() -> "  log of " + process + ": " + line + (thrown == null ? "" : " | " + thrown));
            process.logged(line);
        }
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... values) {
        log(level, bundle, format, (Throwable) null);
    }
}
