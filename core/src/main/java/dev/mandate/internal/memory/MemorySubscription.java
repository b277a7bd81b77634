package dev.mandate.internal.memory;

import dev.mandate.spi.Hint;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** One open watch. */
final class MemorySubscription implements Subscription {
    private static final System.Logger LOG = System.getLogger(MemorySubscription.class.getName());

    private final Consumer<MemorySubscription> closed;
    private final RecordKey prefix;
    private final String label;
    private final Consumer<Hint> hints;
    /** Held during a delivery, so that none is under way after {@link #close}; a consumer may close from within. */
    private final ReentrantLock delivering = new ReentrantLock();

    private boolean isClosed;

    /** {@code closed} is told before the last delivery has ended. */
    MemorySubscription(RecordKey prefix, String label, Consumer<Hint> hints, Consumer<MemorySubscription> closed) {
        this.closed = closed;
        this.prefix = prefix;
        this.label = label;
        this.hints = hints;
    }

    RecordKey prefix() {
        return prefix;
    }

    String label() {
        return label;
    }

    void deliver(Hint hint) {
        delivering.lock();
        try {
            if (!isClosed) {
                hints.accept(hint);
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a consumer of hints threw; the watch goes on", e);
        } finally {
            delivering.unlock();
        }
    }

    @Override
    public void close() {
        closed.accept(this);
        delivering.lock();
        try {
            isClosed = true;
        } finally {
            delivering.unlock();
        }
    }
}
