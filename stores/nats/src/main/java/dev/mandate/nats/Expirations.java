package dev.mandate.nats;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
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
    private static final int AT_ONCE_MAX = 64;
    private static final int KEYS_MAX = 100_000;

    private final Threads threads;
    private final Look look;

    /** Guards the fields below. No callback runs under it. */
    private final Object lock = new Object();

    private final Map<String, Due> byPath = new HashMap<>();
    private final TreeSet<Due> byTime = new TreeSet<>();
    private long wakeAtNanos = Long.MAX_VALUE;
    private @Nullable Future<?> timer;
    private long count;

    /** Checks soon, without blocking, whether the key with this revision has expired. */
    interface Look {
        void at(String path, long revision);
    }

    /** A key and when it expires. */
    private record Due(long atNanos, long number, String path, long revision, int tries) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int byTime = Long.compare(atNanos - other.atNanos, 0);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    Expirations(Threads threads, Look look) {
        this.threads = threads;
        this.look = look;
    }

    /** Notes the newest message of {@code path}, in a bucket with time to live {@code ttl}. */
    void seen(String path, Entry entry, Duration ttl) {
        Duration lifetime = entry.lifetime() == null ? ttl : entry.lifetime();
        synchronized (lock) {
            forget(path);
            if (!entry.isMarker() && byPath.size() < KEYS_MAX) {
                add(path, entry.revision(), System.nanoTime() + lifetime.toNanos() + LATE_NANOS, 0);
            }
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

    private void again(String path, long revision, long inNanos) {
        synchronized (lock) {
            Due known = byPath.get(path);
            if (known != null && known.revision() == revision && known.tries() < AGAIN_MAX) {
                forget(path);
                add(path, revision, System.nanoTime() + inNanos, known.tries() + 1);
            }
        }
    }

    /** The key has expired. */
    void gone(String path) {
        synchronized (lock) {
            forget(path);
        }
    }

    void clear() {
        synchronized (lock) {
            byPath.clear();
            byTime.clear();
        }
    }

    private void forget(String path) {
        @Nullable Due former = byPath.remove(path);
        if (former != null) {
            byTime.remove(former);
        }
    }

    private void add(String path, long revision, long atNanos, int tries) {
        Due due = new Due(atNanos, ++count, path, revision, tries);
        byPath.put(path, due);
        byTime.add(due);
        wake(atNanos);
    }

    private void wake(long atNanos) {
        long now = System.nanoTime();
        if (wakeAtNanos == Long.MAX_VALUE || atNanos - wakeAtNanos < 0) {
            wakeAtNanos = atNanos;
            if (timer != null) {
                timer.cancel(false);
            }
            timer = threads.timed(() -> due(atNanos), Math.max(0, atNanos - now));
        }
    }

    /** On the timer. Does nothing if it was cancelled too late. */
    private void due(long wokenAtNanos) {
        List<Due> over = new ArrayList<>();
        synchronized (lock) {
            if (wokenAtNanos != wakeAtNanos) {
                return;
            }
            long now = System.nanoTime();
            wakeAtNanos = Long.MAX_VALUE;
            while (!byTime.isEmpty() && byTime.first().atNanos() - now <= 0 && over.size() < AT_ONCE_MAX) {
                over.add(byTime.pollFirst());
            }
            if (!byTime.isEmpty()) {
                wake(Math.max(byTime.first().atNanos(), now + TimeUnit.MILLISECONDS.toNanos(1)));
            }
        }
        for (Due each : over) {
            look.at(each.path(), each.revision());
        }
    }
}
