package dev.mandate.cli.run;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes lines for people on its own thread, so that a slow or absent reader never delays the start or end of a
 * command. Safe for use from many threads.
 */
final class LineWriter implements AutoCloseable {
    /** How many lines may wait. Further ones are dropped and counted. */
    static final int ROOM = 256;
    /** How long {@link #say} waits for its line to be written, so that it precedes what the caller does next. */
    private static final Duration ORDER = Duration.ofMillis(100);
    /** How long {@link #close} waits for lines to be written. */
    private static final Duration FLUSH = Duration.ofSeconds(1);

    private final Consumer<String> writer;
    private final Lock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final Deque<String> waiting = new ArrayDeque<>();
    private boolean writing;
    private boolean slow;
    private boolean closed;
    private long dropped;

    /** @param writer writes each line; may block */
    LineWriter(Consumer<String> writer) {
        this.writer = writer;
        Thread thread = new Thread(this::write, "mandate-lines");
        thread.setDaemon(true);
        thread.start();
    }

    /** Queues a line. Waits briefly until it is written, unless the writer is already slow. */
    void say(String line) {
        lock.lock();
        try {
            if (waiting.size() >= ROOM) {
                dropped++;
                return;
            }
            waiting.add(line);
            changed.signalAll();
            if (!slow) {
                slow = !awaitWritten(ORDER);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until all is written; false if it was not in time. Restores an interruption instead of ending early. */
    private boolean awaitWritten(Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        boolean interrupted = false;
        while (writing || !waiting.isEmpty()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                break;
            }
            try {
                changed.await(left, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !writing && waiting.isEmpty();
    }

    private void write() {
        for (String line = next(); line != null; line = next()) {
            writer.accept(line);
        }
    }

    /** The next line; null at the end. */
    private @Nullable String next() {
        lock.lock();
        try {
            writing = false;
            while (waiting.isEmpty() && dropped == 0) {
                slow = false;
                changed.signalAll();
                if (closed) {
                    return null;
                }
                changed.awaitUninterruptibly();
            }
            writing = true;
            if (waiting.isEmpty()) {
                long lost = dropped;
                dropped = 0;
                return lost + " lines were dropped: standard error was not read";
            }
            return waiting.remove();
        } finally {
            lock.unlock();
        }
    }

    /** Waits at most a second until all is written. Later lines may be lost. Idempotent. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            awaitWritten(FLUSH);
        } finally {
            lock.unlock();
        }
    }
}
