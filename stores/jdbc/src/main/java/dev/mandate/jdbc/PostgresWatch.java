package dev.mandate.jdbc;

import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import java.lang.System.Logger.Level;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Tells of changes in PostgreSQL by LISTEN: one thread, one connection. Every write that concerns a key notifies of it
 * in the same transaction; renewals do not, because every client would hear of those of every other.
 */
final class PostgresWatch implements Subscription {
    /** More changed keys than this at once are told as a gap. */
    static final int KEYS_MAX = 1_000;

    private static final System.Logger LOG = System.getLogger(PostgresWatch.class.getName());

    private static final int WAIT_MILLIS = 250;
    private static final long ANSWER_MILLIS = 5_000;
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long BACK_OFF_MIN_MILLIS = 100;
    private static final long BACK_OFF_MAX_MILLIS = 5_000;
    private static final long CLOSE_MILLIS = 2_000;

    private static final String CHANGED =
            Sql.SELECT + " WHERE e.path = ANY (?) OR e.session = ANY (?) LIMIT " + (KEYS_MAX + 1);

    private final PostgresDatabase database;
    private final RecordKey prefix;
    private final Delivery delivery;
    private final Thread thread;
    private volatile @Nullable Link link;

    PostgresWatch(PostgresDatabase database, RecordKey prefix, Consumer<Hint> hints) {
        this.database = database;
        this.prefix = prefix;
        this.delivery = new Delivery(hints);
        this.thread = new Thread(this::loop, "mandate-jdbc-watch-PostgreSQL");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    @Override
    public void close() {
        delivery.close();
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            // It looks up every quarter of a second by itself; only a server that hangs needs more.
            thread.join(4 * WAIT_MILLIS);
            Link hanging = link;
            if (thread.isAlive() && hanging != null) {
                hanging.abort();
                thread.join(CLOSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void loop() {
        long backOffMillis = 0;
        boolean isFirst = true;
        while (!delivery.isClosed()) {
            try {
                Link opened = database.connect(ANSWER_MILLIS);
                link = opened;
                PGConnection notifications = listen(opened);
                if (!isFirst) {
                    delivery.deliver(Hint.Gap.INSTANCE);
                }
                isFirst = false;
                backOffMillis = 0;
                follow(opened, notifications);
            } catch (LinkageError e) {
                delivery.deliver(new Hint.Closed("the driver is not that of PostgreSQL: " + e.getMessage()));
                return;
            } catch (SQLException | RuntimeException e) {
                // Polling goes on without hints; what was missed is told as a gap.
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
            }
        }
    }

    private PGConnection listen(Link opened) throws SQLException {
        Connection connection = opened.connection();
        PGConnection notifications = connection.unwrap(PGConnection.class);
        String channel = Jdbc.first(connection, "SELECT " + Sql.CHANNEL, row -> row.getString(1))
                .orElseThrow();
        Jdbc.run(connection, "LISTEN " + notifications.escapeIdentifier(channel));
        return notifications;
    }

    private void follow(Link opened, PGConnection notifications) throws SQLException {
        long heardNanos = System.nanoTime();
        while (!delivery.isClosed()) {
            PGNotification[] heard = notifications.getNotifications(WAIT_MILLIS);
            if (heard != null && heard.length > 0) {
                tell(opened, heard);
                heardNanos = System.nanoTime();
                delivery.awaitClose(SPACING_NANOS);
            } else if (System.nanoTime() - heardNanos > QUIET_NANOS) {
                // A connection that died without a word is silent for ever.
                database.limit(opened, ANSWER_MILLIS, Link.Sync.ON_DISK);
                Jdbc.query(opened.connection(), "SELECT 1", row -> 0);
                heardNanos = System.nanoTime();
            }
        }
    }

    private void tell(Link opened, PGNotification[] heard) throws SQLException {
        Set<String> paths = new LinkedHashSet<>();
        Set<String> sessions = new LinkedHashSet<>();
        for (PGNotification notification : heard) {
            String payload = notification.getParameter();
            if (payload.startsWith("#")) {
                sessions.add(payload.substring(1));
            } else {
                paths.add(payload);
            }
        }
        List<Optional<Observation>> changed =
                paths.contains("") || paths.size() > KEYS_MAX ? List.of() : changed(opened, paths, sessions);
        if (paths.contains("") || Math.max(paths.size(), changed.size()) > KEYS_MAX) {
            delivery.deliver(Hint.Gap.INSTANCE);
            return;
        }
        for (Optional<Observation> observation : changed) {
            if (observation.isPresent() && observation.get().key().isBelow(prefix)) {
                delivery.deliver(new Hint.Seen(observation.get()));
            }
        }
    }

    private List<Optional<Observation>> changed(Link opened, Set<String> paths, Set<String> sessions)
            throws SQLException {
        database.limit(opened, ANSWER_MILLIS, Link.Sync.ON_DISK);
        Connection connection = opened.connection();
        try (PreparedStatement statement = connection.prepareStatement(CHANGED)) {
            statement.setArray(1, array(connection, paths));
            statement.setArray(2, array(connection, sessions));
            List<Optional<Observation>> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(Rows.observation(rows));
                }
            }
            return found;
        }
    }

    private static Array array(Connection connection, Set<String> texts) throws SQLException {
        return connection.createArrayOf("text", texts.toArray());
    }
}
