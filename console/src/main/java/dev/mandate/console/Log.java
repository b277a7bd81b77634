package dev.mandate.console;

import dev.mandate.Leader;
import java.util.Locale;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * Prints the library's log on standard error: warnings as {@code mandate: warning: …}, everything with {@code --debug}.
 * {@link java.util.ServiceLoader} finds this class, so the platform's own logging is never loaded: that would take
 * longer than most commands do.
 */
public final class Log extends System.LoggerFinder {
    /** The system property that sets the level: any name of a {@link System.Logger.Level}. */
    static final String PROPERTY = "mandate.cli.log";

    /** For {@link java.util.ServiceLoader}. */
    public Log() {}

    /** From now on loggers show only errors, unless a level was set: for commands whose members come and go. */
    public static void showErrorsOnly() {
        if (System.getProperty(PROPERTY) == null) {
            System.setProperty(PROPERTY, System.Logger.Level.ERROR.getName());
        }
    }

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new Lines(name, System.Logger.Level.valueOf(System.getProperty(PROPERTY, "WARNING")));
    }

    private record Lines(String name, System.Logger.Level least) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return level != Level.OFF && level.getSeverity() >= least.getSeverity();
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String text, @Nullable Throwable thrown) {
            if (!isLoggable(level)) {
                return;
            }
            StringBuilder line = new StringBuilder("mandate: ")
                    .append(level.getName().toLowerCase(Locale.ROOT))
                    .append(": ")
                    .append(Leader.printable(String.valueOf(text)));
            if (thrown != null) {
                line.append(": ").append(Leader.printable(String.valueOf(thrown)));
            }
            System.err.println(line);
            if (thrown != null && least.getSeverity() <= Level.DEBUG.getSeverity()) {
                thrown.printStackTrace(System.err);
            }
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... values) {
            if (isLoggable(level)) {
                boolean filled = values != null && values.length > 0 && format != null;
                log(level, bundle, filled ? java.text.MessageFormat.format(format, values) : format, (Throwable) null);
            }
        }
    }
}
