package dev.mandate.jdbc;

import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Reports changes in PostgreSQL by LISTEN: one thread, one connection. Every write of a key sends a notification in the
 * same transaction. Renewals send none, because every client would receive those of all others.
 */
final class PostgresWatch extends SqlWatch {
    private static final int WAIT_MILLIS = 250;
    private static final long ANSWER_MILLIS = 5_000;
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Limited to {@code KEYS_MAX} rows, as many marks, and one more. */
    private static final String CHANGED =
            Sql.SELECT + " WHERE e.path = ANY (?) OR e.session = ANY (?) LIMIT " + (2 * KEYS_MAX + 1);

    private final Database database;
    private final boolean isShared;
    private @Nullable PGConnection notifications;

    /** {@code isShared} if its connections come from a data source that others use. */
    PostgresWatch(Database database, boolean isShared) {
        super(database, ANSWER_MILLIS);
        this.database = database;
        this.isShared = isShared;
    }

    /** The thread checks every 250 ms by itself; only a hanging server requires an abort. */
    @Override
    void interrupt(Thread thread, @Nullable Link hanging) throws InterruptedException {
        if (hanging == null) {
            // It may be waiting for a pool.
            thread.interrupt();
        }
        boolean isOver = awaitEnd(4 * WAIT_MILLIS);
        if (!isOver && hanging != null) {
            hanging.abort();
        }
    }

    @Override
    void begin(Link link) throws SQLException {
        notifications = listen(link);
    }

    @Override
    void follow(Link link) throws SQLException {
        follow(link, Objects.requireNonNull(notifications));
    }

    @Override
    void end() {
        notifications = null;
    }

    private PGConnection listen(Link opened) throws SQLException {
        Connection connection = opened.connection();
        PGConnection notifications = connection.unwrap(PGConnection.class);
        String channel = Jdbc.first(connection, "SELECT " + Sql.CHANNEL, row -> row.getString(1))
                .orElseThrow();
        Jdbc.run(connection, "LISTEN " + notifications.escapeIdentifier(channel));
        if (isShared) {
            opened.beforeClosing(theirs -> {
                theirs.setNetworkTimeout(Runnable::run, PostgresSource.FAREWELL_MILLIS);
                Jdbc.run(theirs, "UNLISTEN " + notifications.escapeIdentifier(channel));
            });
        }
        return notifications;
    }

    private void follow(Link opened, PGConnection notifications) throws SQLException {
        long heardNanos = System.nanoTime();
        while (!isIdle()) {
            PGNotification[] heard = notifications.getNotifications(WAIT_MILLIS);
            if (heard != null && heard.length > 0) {
                tell(opened, heard);
                heardNanos = System.nanoTime();
                awaitIdle(SPACING_NANOS);
            } else if (System.nanoTime() - heardNanos > QUIET_NANOS) {
                // A connection that died silently would never report it.
                Jdbc.query(database.limit(opened, ANSWER_MILLIS, Link.Sync.ON_DISK), "SELECT 1", row -> 0);
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
            } else if (payload.isEmpty() || isWatched(payload)) {
                paths.add(payload);
            }
        }
        List<Optional<Observation>> changed =
                paths.contains("") || paths.size() > KEYS_MAX ? List.of() : changed(opened, paths, sessions);
        if (paths.contains("") || Math.max(paths.size(), changed.size()) > KEYS_MAX) {
            tellGap();
            return;
        }
        tell(changed);
    }

    private List<Optional<Observation>> changed(Link opened, Set<String> paths, Set<String> sessions)
            throws SQLException {
        if (paths.isEmpty() && sessions.isEmpty()) {
            return List.of();
        }
        Bounded bounded = database.limit(opened, ANSWER_MILLIS, Link.Sync.ON_DISK);
        Connection connection = opened.connection();
        Map<String, RecordKey> gone = keys(paths);
        Set<String> asked = new LinkedHashSet<>(paths);
        gone.values().forEach(key -> asked.add(Mark.path(key)));
        Map<String, Long> marks = new HashMap<>();
        List<Optional<Observation>> changed = new ArrayList<>();
        // Reads rows and marks in one statement: a mark read later would not belong to a key that is held
        // again by then.
        Jdbc.query(
                bounded,
                CHANGED,
                row -> {
                    if (Mark.is(row)) {
                        marks.put(row.getString(1), row.getLong(2));
                    } else {
                        gone.remove(row.getString(1));
                        changed.add(Rows.observation(row));
                    }
                    return true;
                },
                array(connection, asked),
                array(connection, sessions));
        // A key that was erased before it could be read is vacant at the version of its mark.
        gone.values().forEach(key -> changed.add(Optional.of(Rows.none(key, marks.getOrDefault(Mark.path(key), 0L)))));
        return changed;
    }

    private static Map<String, RecordKey> keys(Set<String> paths) {
        Map<String, RecordKey> keys = new LinkedHashMap<>();
        for (String path : paths) {
            try {
                keys.put(path, RecordKey.parse(path));
            } catch (IllegalArgumentException e) {
                // A notification of another program.
            }
        }
        return keys;
    }

    private static Array array(Connection connection, Set<String> texts) throws SQLException {
        return connection.createArrayOf("text", texts.toArray());
    }
}
