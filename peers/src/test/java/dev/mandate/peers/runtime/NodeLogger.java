package dev.mandate.peers.runtime;

import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Until it is closed, every line of a node goes to it. All tests of this JVM share the logger: those that look at
 * lines, or break it, lock {@value #LOCK}. The others may log at the same time.
 */
final class NodeLogger implements AutoCloseable {
    static final String LOCK = "the log of nodes";

    private final Logger logger = Logger.getLogger("dev.mandate.peers");
    private final Handler handler;

    NodeLogger(Consumer<LogRecord> lines) {
        handler = new ConsoleHandler() {
            @Override
            public void publish(LogRecord line) {
                lines.accept(line);
            }
        };
        logger.addHandler(handler);
    }

    /** Until then, whoever writes a line waits. */
    static NodeLogger blockedUntil(CountDownLatch goOn) {
        return new NodeLogger(line -> {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }
}
