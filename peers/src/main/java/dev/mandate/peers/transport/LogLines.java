package dev.mandate.peers.transport;

import dev.mandate.support.StoreThreads;
import java.lang.System.Logger.Level;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Hands lines to a logger, on a daemon thread that ends when idle: whatever the logger does, nobody waits for it and
 * nothing is thrown. At most {@value #WAITING_MAX} lines wait; more are lost, and the log says how many. Thread-safe.
 */
public final class LogLines {
    private static final int WAITING_MAX = 256;
    private static final long IDLE_SECONDS = 2;

    private final System.Logger logger;
    private final AtomicLong lost = new AtomicLong();
    private final ThreadPoolExecutor writer;

    /** Lines for {@code logger}, written by a thread of this name. */
    public LogLines(System.Logger logger, String thread) {
        this.logger = logger;
        this.writer = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(WAITING_MAX),
                work -> StoreThreads.daemon(thread, work),
                (line, to) -> {
                    if (!to.isShutdown()) {
                        lost.incrementAndGet();
                    }
                });
        writer.allowCoreThreadTimeOut(true);
    }

    /** Writes a line soon, unless it is lost. */
    public void write(Consumer<System.Logger> line) {
        try {
            writer.execute(() -> {
                long missing = lost.getAndSet(0);
                if (missing > 0) {
                    handOver(to -> to.log(Level.WARNING, "lines lost because the logger was slow: " + missing));
                }
                handOver(line);
            });
        } catch (RuntimeException | Error e) {
            // No memory, or no thread: this line is lost.
            lost.incrementAndGet();
        }
    }

    private void handOver(Consumer<System.Logger> line) {
        try {
            line.accept(logger);
        } catch (RuntimeException | Error e) {
            // It cannot be reported.
        }
    }

    /** Writes the waiting lines, and nothing after them. Does not wait. */
    void close() {
        writer.shutdown();
    }
}
