package dev.mandate.nats;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads each key of a bucket without limit markers when it should have expired, and some more times because servers
 * remove late. Keys renewed in time, nearly all, are not read. Thread-safe.
 */
final class Expirations {
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long UNANSWERED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int AGAIN_MAX = 40;
    private static final int KEYS_MAX = 100_000;

    private final Threads threads;
    private final Look look;

    /** The next looks; guarded by this. Nothing is called under the lock. */
    private final Map<String, Due> dues = new HashMap<>();

    /** Checks soon, without blocking, whether the key with this revision has expired. */
    interface Look {
        void at(String path, long revision);
    }

    /** The next look at a key; {@code timer} is null if the store is closed. */
    private record Due(long revision, int tries, @Nullable Future<?> timer) {
        void cancel() {
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    Expirations(Threads threads, Look look) {
        this.threads = threads;
        this.look = look;
    }

    /** Notes the newest message of {@code path}, in a bucket with time to live {@code ttl}. */
    synchronized void seen(String path, Entry entry, Duration ttl) {
        gone(path);
        if (!entry.isMarker() && dues.size() < KEYS_MAX) {
            Duration lifetime = entry.lifetime() == null ? ttl : entry.lifetime();
            add(path, entry.revision(), 0, lifetime.toNanos() + LATE_NANOS);
        }
    }

    /** The key was read and has not expired yet. */
    void again(String path, long revision) {
        again(path, revision, AGAIN_NANOS);
    }

    /** The read got no answer. */
    void unanswered(String path, long revision) {
        again(path, revision, UNANSWERED_NANOS);
    }

    private synchronized void again(String path, long revision, long inNanos) {
        Due known = dues.get(path);
        if (known != null && known.revision() == revision && known.tries() < AGAIN_MAX) {
            add(path, revision, known.tries() + 1, inNanos);
        }
    }

    /** The key has expired. */
    synchronized void gone(String path) {
        @Nullable Due former = dues.remove(path);
        if (former != null) {
            former.cancel();
        }
    }

    synchronized void clear() {
        dues.values().forEach(Due::cancel);
        dues.clear();
    }

    private void add(String path, long revision, int tries, long inNanos) {
        dues.put(path, new Due(revision, tries, threads.shared().timed(() -> look.at(path, revision), inNanos)));
    }
}
