package dev.mandate.testkit;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What any client in this process logs from now on under one name. Safe for use from many threads. */
final class LoggedLines implements AutoCloseable {
    private final Logger logger;
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            lines.add(String.valueOf(record.getMessage()));
        }

        @Override
        public void flush() {
            // Nothing is buffered.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };

    LoggedLines(String name) {
        this.logger = Logger.getLogger(name);
        logger.addHandler(handler);
    }

    /** Waits for a line, and returns it. */
    String await(String what, Duration atMost, Predicate<String> isWanted) {
        return Await.value(
                "a log line that tells of " + what,
                atMost,
                () -> lines.stream().filter(isWanted).findFirst());
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }
}
