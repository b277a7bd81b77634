package dev.mandate.jdbc;

import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.support.BackOff;
import dev.mandate.support.HintDelivery;
import dev.mandate.support.StoreThreads;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The common part of all databases' watches. All watches of a store share one thread and one read-only connection, from
 * the opening of the first to the closing of the last.
 *
 * <p>Each new connection reports a {@linkplain Hint.Gap gap}, because earlier changes are not reported. After any
 * failure it reconnects after a pause; meanwhile candidates poll without hints. Thread-safe.
 */
abstract class SqlWatch {
    /** More changed keys than this at once are reported as a gap. */
    static final int KEYS_MAX = 1_000;

    /** The least time between two rounds of hints. */
    static final long SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final System.Logger LOG = System.getLogger(SqlWatch.class.getName());
    private static final Duration PAUSE_MIN = Duration.ofMillis(100);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(5);
    private static final long CLOSE_MILLIS = 2_000;

    private final Database database;
    private final long connectMillis;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /** Guards the listeners and the thread. No listener is called under it. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();

    /** Null while there are no listeners. */
    private @Nullable Thread thread;

    private volatile @Nullable Link link;

    /**
     * Creates a watch without listeners.
     *
     * @param connectMillis how long connecting may take
     */
    SqlWatch(Database database, long connectMillis) {
        this.database = database;
        this.connectMillis = connectMillis;
    }

    /** One open watch. */
    private record Listener(RecordKey prefix, String path, HintDelivery delivery) {
        Listener(RecordKey prefix, Consumer<Hint> hints) {
            this(prefix, prefix.path(), new HintDelivery(hints));
        }

        boolean wants(String changed) {
            return changed.startsWith(path)
                    && (changed.length() == path.length() || changed.charAt(path.length()) == '/');
        }

        /** A consumer that throws misses a hint; the others still get it. */
        void tell(Hint hint) {
            try {
                delivery.deliver(hint);
            } catch (RuntimeException | Error e) {
                LOG.log(Level.WARNING, "the consumer of a watch of " + prefix + " failed", e);
            }
        }
    }

    /** See {@link dev.mandate.spi.ElectionStore#watch}. */
    Subscription open(RecordKey prefix, Consumer<Hint> hints) {
        Listener listener = new Listener(prefix, hints);
        lock.lock();
        try {
            if (thread == null) {
                Thread first = StoreThreads.daemon(
                        "mandate-jdbc-watch-" + database.traits().name(), this::loop);
                first.start();
                thread = first;
            }
            listeners.add(listener);
        } finally {
            lock.unlock();
        }
        return () -> close(listener);
    }

    private void close(Listener listener) {
        boolean isLast;
        lock.lock();
        try {
            isLast = listeners.remove(listener) && listeners.isEmpty();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        listener.delivery().close();
        if (isLast) {
            stop();
        }
    }

    /** Closes all open watches, and gives the connection back. */
    void close() {
        listeners.forEach(this::close);
    }

    private void stop() {
        Thread running = running();
        if (running == null || running == Thread.currentThread()) {
            return;
        }
        try {
            interrupt(running, link);
            awaitEnd(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable Thread running() {
        lock.lock();
        try {
            return thread;
        } finally {
            lock.unlock();
        }
    }

    // ---- for each database ----

    /** Notes the present state: changes after it has returned are not missed. */
    abstract void begin(Link link) throws SQLException;

    /** Reports changes until there are no listeners. */
    abstract void follow(Link link) throws SQLException;

    /** The connection was closed. */
    void end() {}

    /** Makes {@link #follow} return soon; {@code hanging} is its connection. */
    abstract void interrupt(Thread thread, @Nullable Link hanging) throws InterruptedException;

    /** Whether there are no listeners. */
    boolean isIdle() {
        return listeners.isEmpty();
    }

    /** Waits that long, or until there are no listeners. */
    void awaitIdle(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (!listeners.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // Only closing the last watch interrupts, and the caller checks for that next.
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the unneeded thread has ended, or is needed again; false if neither happened in time. */
    boolean awaitEnd(long millis) throws InterruptedException {
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (thread != null && listeners.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return thread == null || !listeners.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Whether a listener watches that {@linkplain RecordKey#path path}. */
    boolean isWatched(String path) {
        return listeners.stream().anyMatch(listener -> listener.wants(path));
    }

    /** Reports a gap to all listeners. */
    void tellGap() {
        listeners.forEach(listener -> listener.tell(Hint.Gap.INSTANCE));
    }

    /** Reports a gap to listeners at, below or above {@code name}. */
    void tellGap(RecordKey name) {
        for (Listener listener : listeners) {
            if (name.isBelow(listener.prefix()) || listener.prefix().isBelow(name)) {
                listener.tell(Hint.Gap.INSTANCE);
            }
        }
    }

    /** Reports keys, each to the listeners that watch it. */
    void tell(List<Optional<Observation>> changed) {
        for (Optional<Observation> observation : changed) {
            observation.ifPresent(this::tell);
        }
    }

    private void tell(Observation observation) {
        for (Listener listener : listeners) {
            if (observation.key().isBelow(listener.prefix())) {
                listener.tell(new Hint.Seen(observation));
            }
        }
    }

    // ---- on the thread ----

    private void loop() {
        BackOff backOff = new BackOff(PAUSE_MIN, PAUSE_MAX);
        while (isWanted()) {
            long pauseNanos = 0;
            try {
                Link opened = database.connect(connectMillis);
                link = opened;
                begin(opened);
                tellGap();
                backOff.reset();
                follow(opened);
            } catch (LinkageError e) {
                giveUp("the driver is not that of " + database.traits().name() + ": " + e.getMessage());
            } catch (SQLException | RuntimeException | Error e) {
                pauseNanos = backOff.nextNanos();
                LOG.log(Level.DEBUG, "{0}: the watch failed and is opened again: {1}", database.name(), e.getMessage());
            } finally {
                Link used = link;
                link = null;
                if (used != null) {
                    used.close();
                }
                end();
            }
            awaitIdle(pauseNanos);
        }
    }

    /** False if there are no listeners: then this thread ends, and the next listener starts another. */
    private boolean isWanted() {
        lock.lock();
        try {
            if (listeners.isEmpty()) {
                thread = null;
                changed.signalAll();
                return false;
            }
        } finally {
            lock.unlock();
        }
        // Clears an interrupt that was meant for a wait that is over.
        Thread.interrupted();
        return true;
    }

    /** Closes the present watches; a new one may try again. */
    private void giveUp(String why) {
        for (Listener listener : listeners) {
            listener.tell(new Hint.Closed(why));
            listeners.remove(listener);
        }
    }
}
