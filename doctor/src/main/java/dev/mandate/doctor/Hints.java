package dev.mandate.doctor;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A watch on all elections, and when it last reported something about one of them. */
final class Hints implements AutoCloseable {
    private final RecordKey key;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition heard = lock.newCondition();
    private boolean isHeard;
    private long heardNanos;
    private @Nullable String closed;
    private Subscription subscription = Subscription.NONE;

    private Hints(RecordKey key) {
        this.key = key;
    }

    /** Opens a watch; if that fails, returns a closed one. */
    static Hints open(ElectionStore store, RecordKey key) {
        Hints hints = new Hints(key);
        try {
            hints.subscription = store.watch(RecordKey.elections(), hints::hear);
        } catch (RuntimeException e) {
            hints.hear(new Hint.Closed(String.valueOf(e.getMessage())));
        }
        return hints;
    }

    private void hear(Hint hint) {
        lock.lock();
        try {
            if (hint instanceof Hint.Closed over) {
                closed = over.reason();
            } else if (!(hint instanceof Hint.Seen seen)
                    || seen.observation().key().equals(key)) {
                isHeard = true;
                heardNanos = System.nanoTime();
            }
            heard.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Forgets what was heard so far. */
    void forget() {
        lock.lock();
        try {
            isHeard = false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a hint about the election.
     *
     * @return how long after {@code sinceNanos} it came; empty if none came in time, or the watch is over
     */
    Optional<Duration> await(long sinceNanos, Duration atMost) throws InterruptedException {
        lock.lock();
        try {
            long left = atMost.toNanos();
            while (!isHeard && closed == null && left > 0) {
                left = heard.awaitNanos(left);
            }
            return isHeard ? Optional.of(Duration.ofNanos(Math.max(0, heardNanos - sinceNanos))) : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Why the watch is over; empty if it is not. */
    Optional<String> closed() {
        lock.lock();
        try {
            return Optional.ofNullable(closed);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        subscription.close();
    }
}
