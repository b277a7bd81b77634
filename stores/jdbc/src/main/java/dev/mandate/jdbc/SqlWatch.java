package dev.mandate.jdbc;

import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.support.HintDelivery;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What all watches of a store share, and those of all databases: one thread, and one connection that only reads. The
 * first watch that is opened begins them, the last one that is closed ends them, and whoever comes in between joins.
 *
 * <p>Each time there is a connection, everybody is told {@linkplain Hint.Gap to look}: what happened before is told to
 * nobody. Whatever fails, it is opened again after a pause; polling goes on without hints. Thread-safe.
 */
abstract class SqlWatch {
    /** More changed keys than this at once are told as a gap. */
    static final int KEYS_MAX = 1_000;

    /** The least time between two rounds of hints. */
    static final long SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final System.Logger LOG = System.getLogger(SqlWatch.class.getName());
    private static final long BACK_OFF_MIN_MILLIS = 100;
    private static final long BACK_OFF_MAX_MILLIS = 5_000;
    private static final long CLOSE_MILLIS = 2_000;

    private final Database database;
    private final long connectMillis;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /** Guards who comes and goes, and the thread. Nothing is called under it. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();

    /** Null while nobody listens. */
    private @Nullable Thread thread;

    private volatile @Nullable Link link;

    /**
     * A watch that nobody listens to yet.
     *
     * @param connectMillis how long connecting may take
     */
    SqlWatch(Database database, long connectMillis) {
        this.database = database;
        this.connectMillis = connectMillis;
    }

    /** One who listens. */
    private record Listener(RecordKey prefix, String path, HintDelivery delivery) {
        Listener(RecordKey prefix, Consumer<Hint> hints) {
            this(prefix, prefix.path(), new HintDelivery(hints));
        }

        boolean wants(String changed) {
            return changed.startsWith(path)
                    && (changed.length() == path.length() || changed.charAt(path.length()) == '/');
        }

        /** What a consumer throws is a hint that it missed; the others go on. */
        void tell(Hint hint) {
            try {
                delivery.deliver(hint);
            } catch (RuntimeException | Error e) {
                LOG.log(Level.WARNING, "the consumer of a watch of " + prefix + " failed", e);
            }
        }
    }

    /** As {@link dev.mandate.spi.ElectionStore#watch}. */
    Subscription open(RecordKey prefix, Consumer<Hint> hints) {
        Listener listener = new Listener(prefix, hints);
        lock.lock();
        try {
            if (thread == null) {
                Thread first = new Thread(
                        this::loop, "mandate-jdbc-watch-" + database.traits().name());
                first.setDaemon(true);
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

    /** Closes what is open, and gives the connection back. */
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

    /** Remembers where things stand: what happens after this returned is not missed. */
    abstract void begin(Link link) throws SQLException;

    /** Tells of what happens, until nobody listens. */
    abstract void follow(Link link) throws SQLException;

    /** The connection is gone. */
    void end() {}

    /** Makes {@link #follow} return although nothing happens; {@code hanging} is its connection. */
    abstract void interrupt(Thread thread, @Nullable Link hanging) throws InterruptedException;

    /** Whether nobody listens. */
    boolean isIdle() {
        return listeners.isEmpty();
    }

    /** Waits that long, or until nobody listens. */
    void awaitIdle(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (!listeners.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // Only who closes the last watch interrupts; whoever waits here asks for that next.
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the thread that nobody wants any more is over, or somebody wants it again; false if neither came in
     * time.
     */
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

    /** Whether somebody watches what stands at that {@linkplain RecordKey#path path}. */
    boolean isWatched(String path) {
        return listeners.stream().anyMatch(listener -> listener.wants(path));
    }

    /** Tells everybody to look. */
    void tellGap() {
        listeners.forEach(listener -> listener.tell(Hint.Gap.INSTANCE));
    }

    /** Tells those to look who watch {@code name}, or something below or above it. */
    void tellGap(RecordKey name) {
        for (Listener listener : listeners) {
            if (name.isBelow(listener.prefix()) || listener.prefix().isBelow(name)) {
                listener.tell(Hint.Gap.INSTANCE);
            }
        }
    }

    /** Tells of keys as they stand now, each to those who watch it. */
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
        long backOffMillis = 0;
        while (isWanted()) {
            try {
                Link opened = database.connect(connectMillis);
                link = opened;
                begin(opened);
                tellGap();
                backOffMillis = 0;
                follow(opened);
            } catch (LinkageError e) {
                giveUp("the driver is not that of " + database.traits().name() + ": " + e.getMessage());
            } catch (SQLException | RuntimeException | Error e) {
                backOffMillis = Math.min(BACK_OFF_MAX_MILLIS, Math.max(BACK_OFF_MIN_MILLIS, 2 * backOffMillis));
                LOG.log(Level.DEBUG, "{0}: the watch failed and is opened again: {1}", database.name(), e.getMessage());
            } finally {
                Link used = link;
                link = null;
                if (used != null) {
                    used.close();
                }
                end();
            }
            awaitIdle(TimeUnit.MILLISECONDS.toNanos(backOffMillis));
        }
    }

    /** If nobody listens, this thread is over, and the next one who does gets another. */
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
        // Whoever closed the last watch may have meant what is over now.
        Thread.interrupted();
        return true;
    }

    /** It is over for those who listen now; whoever opens another one may try again. */
    private void giveUp(String why) {
        for (Listener listener : listeners) {
            listener.tell(new Hint.Closed(why));
            listeners.remove(listener);
        }
    }
}
