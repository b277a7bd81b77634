package dev.mandate.jdbc;

import dev.mandate.spi.Hint;
import dev.mandate.spi.HintDelivery;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the watches of all databases share: one thread, one connection that only reads. Whatever fails, it is opened again
 * after a pause, and what was missed meanwhile is told as a gap; polling goes on without hints.
 */
abstract class SqlWatch implements Subscription {
    /** More changed keys than this at once are told as a gap. */
    static final int KEYS_MAX = 1_000;

    /** The least time between two rounds of hints. */
    static final long SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final System.Logger LOG = System.getLogger(SqlWatch.class.getName());
    private static final long BACK_OFF_MIN_MILLIS = 100;
    private static final long BACK_OFF_MAX_MILLIS = 5_000;
    private static final long CLOSE_MILLIS = 2_000;

    final HintDelivery delivery;
    private final Database database;
    private final RecordKey prefix;
    private final long connectMillis;
    private final Thread thread;
    private volatile @Nullable Link link;

    /**
     * A watch that is still to be started.
     *
     * @param connectMillis how long connecting may take
     */
    SqlWatch(Database database, RecordKey prefix, Consumer<Hint> hints, long connectMillis) {
        this.database = database;
        this.prefix = prefix;
        this.delivery = new HintDelivery(hints);
        this.connectMillis = connectMillis;
        this.thread =
                new Thread(this::loop, "mandate-jdbc-watch-" + database.traits().name());
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Remembers where things stand: what happens after this returned is not missed. */
    abstract void begin(Link link) throws SQLException;

    /** Tells of what happens, until closed. */
    abstract void follow(Link link) throws SQLException;

    /** The connection is gone. */
    void end() {}

    /** Makes {@link #follow} return although nothing happens; {@code hanging} is its connection. */
    abstract void interrupt(Thread thread, @Nullable Link hanging) throws InterruptedException;

    @Override
    public void close() {
        delivery.close();
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            interrupt(thread, link);
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void loop() {
        long backOffMillis = 0;
        boolean isFirst = true;
        while (!delivery.isClosed()) {
            try {
                Link opened = database.connect(connectMillis);
                link = opened;
                begin(opened);
                if (!isFirst) {
                    delivery.deliver(Hint.Gap.INSTANCE);
                }
                isFirst = false;
                backOffMillis = 0;
                follow(opened);
            } catch (LinkageError e) {
                delivery.deliver(new Hint.Closed(
                        "the driver is not that of " + database.traits().name() + ": " + e.getMessage()));
                return;
            } catch (SQLException | RuntimeException | Error e) {
                isFirst = false;
                backOffMillis = Math.min(BACK_OFF_MAX_MILLIS, Math.max(BACK_OFF_MIN_MILLIS, 2 * backOffMillis));
                LOG.log(Level.DEBUG, "{0}: the watch failed and is opened again: {1}", database.name(), e.getMessage());
                delivery.awaitClose(TimeUnit.MILLISECONDS.toNanos(backOffMillis));
            } finally {
                Link used = link;
                link = null;
                if (used != null) {
                    used.close();
                }
                end();
            }
        }
    }

    /** Tells of keys as they stand now, those that are watched. */
    void tell(List<Optional<Observation>> changed) {
        for (Optional<Observation> observation : changed) {
            if (observation.isPresent() && observation.get().key().isBelow(prefix)) {
                delivery.deliver(new Hint.Seen(observation.get()));
            }
        }
    }
}
