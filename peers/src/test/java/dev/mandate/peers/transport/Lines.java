package dev.mandate.peers.transport;

import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Keeps what is logged. */
final class Lines implements System.Logger {
    private final List<String> lines = new CopyOnWriteArrayList<>();

    List<String> all() {
        return lines;
    }

    @Override
    public String getName() {
        return "test";
    }

    @Override
    public boolean isLoggable(Level level) {
        return true;
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, @Nullable String text, @Nullable Throwable thrown) {
        lines.add(level + " " + text);
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, @Nullable String form, Object... parts) {
        lines.add(level + " " + form);
    }
}
