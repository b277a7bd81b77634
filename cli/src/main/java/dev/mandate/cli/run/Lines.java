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
 * Lines for people, written by a thread of its own, so that nobody who reads too slowly, or not at all, keeps a command from being started
 * or ended. Safe for use from many threads.
 */
final class Lines implements AutoCloseable {
    /** How many may wait. What comes after them is dropped, and counted. */
    static final int ROOM = 256;
    /** How long one who says something waits for it to be written, so that it stands before what he does next. */
    private static final Duration ORDER = Duration.ofMillis(100);
    /** How long the end waits for what was said. */
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

    /** Lines that {@code writer} writes; it may block. */
    Lines(Consumer<String> writer) {
        this.writer = writer;
        Thread thread = new Thread(this::write, "mandate-lines");
        thread.setDaemon(true);
        thread.start();
    }

    /** Has a line written. Waits for a moment, unless the line before it was too slow already. */
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

    /** Whether all was written. An interruption does not cut it short: it is restored. */
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

    /** Waits for a second at most until all is written. What is said afterwards may be lost. Idempotent. */
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
