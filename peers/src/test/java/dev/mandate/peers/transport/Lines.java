package dev.mandate.peers.transport;

import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Keeps what is logged. */
final class Lines implements System.Logger {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private volatile CountDownLatch latch = new CountDownLatch(0);

    /** From now on, whoever writes waits for that. */
    void blockUntil(CountDownLatch latch) {
        this.latch = latch;
    }

    private void add(String line) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lines.add(line);
    }

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
        add(level + " " + text);
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, @Nullable String form, Object... parts) {
        add(level + " " + form);
    }
}
