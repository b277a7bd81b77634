package dev.mandate.support;

import dev.mandate.spi.Hint;
import dev.mandate.spi.Subscription;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the hints of a store's watch to their consumer, one at a time, and none after {@link #close()} returned, as
 * {@link Subscription} promises. Thread-safe, but only one thread at a time may call {@link #deliver}.
 */
public final class HintDelivery {
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Consumer<Hint> consumer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Thread delivering;
    private boolean closed;

    /** Delivers to {@code consumer}, which does not block. */
    public HintDelivery(Consumer<Hint> consumer) {
        this.consumer = consumer;
    }

    /** Calls the consumer on this thread, unless this is closed. Passes on what it throws. */
    public void deliver(Hint hint) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            delivering = Thread.currentThread();
        } finally {
            lock.unlock();
        }
        try {
            consumer.accept(hint);
        } finally {
            lock.lock();
            try {
                delivering = null;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Whether nothing is delivered any more. */
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Waits up to two seconds for a delivery under way, unless the consumer itself closes. Idempotent. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            long left = CLOSE_NANOS;
            while (delivering != null && delivering != Thread.currentThread() && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
