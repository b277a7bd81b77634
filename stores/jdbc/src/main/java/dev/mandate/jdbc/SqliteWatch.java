package dev.mandate.jdbc;

import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reports changes in an SQLite file: one thread, one read-only connection.
 *
 * <p>The system notifies of writes to the file; {@code data_version} shows whether another connection's commit is
 * visible. The event comes <em>before</em> the commit is visible, because SQLite writes and syncs it first. So after
 * every event the thread checks several times. Without system events it checks every {@value #POLL_MILLIS} ms.
 *
 * <p>It reports rows above the highest version seen (versions count all writes of the table), and keys of sessions
 * whose version changed or that ended. An erased row shows by its {@link Mark}: watches concerned get a gap.
 */
final class SqliteWatch extends SqlWatch {
    /** Renewals of sessions with more keys than this are not reported; candidates that wait for them poll anyway. */
    static final int RENEWED_KEYS_MAX = 100;

    private static final int SESSIONS_MAX = 5_000;
    private static final long POLL_MILLIS = 20;
    private static final long BACKSTOP_MILLIS = 250;
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long BUSY_MILLIS = 1_000;

    private static final String HIGHEST = "SELECT coalesce(max(version), 0) FROM mandate_election";
    private static final String NEWER = Sql.SELECT + " WHERE e.version > ? ORDER BY e.version LIMIT ?";
    private static final String KEPT = Sql.SELECT + " WHERE e.session = ? LIMIT ?";
    private static final String SESSIONS = "SELECT id, version, ended FROM mandate_session LIMIT " + SESSIONS_MAX;

    private final Database database;
    private final Predicate<String> own;
    private final boolean usesEvents;
    private @Nullable FileEvents events;

    private long dataVersion;
    private long highest;
    private Map<String, Session> sessions = new HashMap<>();

    private record Session(long version, boolean ended) {}

    /**
     * Creates a watch without listeners.
     *
     * @param own recognizes the sessions whose renewals are not reported
     * @param usesEvents whether to use the system's file events, if any
     */
    SqliteWatch(Database database, Predicate<String> own, boolean usesEvents) {
        super(database, BUSY_MILLIS);
        this.database = database;
        this.own = own;
        this.usesEvents = usesEvents;
    }

    @Override
    void interrupt(Thread thread, @Nullable Link hanging) {
        thread.interrupt();
    }

    @Override
    void begin(Link link) throws SQLException {
        database.limit(link, BUSY_MILLIS, Link.Sync.WRITTEN);
        Connection connection = link.connection();
        Path file = SqliteSource.fileOf(connection);
        events = file == null || !usesEvents ? null : FileEvents.of(file);
        dataVersion = dataVersion(connection);
        highest = highest(connection);
        sessions = sessions(connection);
    }

    @Override
    void follow(Link link) throws SQLException {
        long eventNanos = System.nanoTime() - SETTLE_NANOS;
        long waitNanos = 0;
        long roundNanos = System.nanoTime() - SPACING_NANOS;
        while (!isIdle()) {
            long version = dataVersion(link.connection());
            if (version != dataVersion) {
                awaitIdle(roundNanos + SPACING_NANOS - System.nanoTime());
                database.limit(link, BUSY_MILLIS, Link.Sync.WRITTEN);
                dataVersion = version;
                tell(link.connection());
                roundNanos = System.nanoTime();
                continue;
            }
            boolean settled = System.nanoTime() - eventNanos >= SETTLE_NANOS;
            waitNanos = settled ? longWaitNanos() : Math.max(250_000, Math.min(16_000_000, 2 * waitNanos));
            if (awaitEvent(waitNanos)) {
                eventNanos = System.nanoTime();
                waitNanos = 0;
            } else if (settled) {
                database.limit(link, BUSY_MILLIS, Link.Sync.WRITTEN);
            }
        }
    }

    private long longWaitNanos() {
        return TimeUnit.MILLISECONDS.toNanos(events == null ? POLL_MILLIS : BACKSTOP_MILLIS);
    }

    private boolean awaitEvent(long nanos) {
        FileEvents from = events;
        if (from == null) {
            awaitIdle(nanos);
            return false;
        }
        return from.await(nanos);
    }

    /** Reports what changed since the last round. */
    private void tell(Connection connection) throws SQLException {
        List<Optional<Observation>> changed = new ArrayList<>();
        Set<RecordKey> erased = new LinkedHashSet<>();
        long[] seen = {highest};
        changed.addAll(Jdbc.query(
                connection,
                NEWER,
                row -> {
                    seen[0] = row.getLong(2);
                    Mark.name(row).ifPresent(erased::add);
                    return Rows.observation(row);
                },
                highest,
                KEYS_MAX + 1));
        highest = changed.size() > KEYS_MAX ? highest(connection) : seen[0];
        // If rows were deleted, their versions are gone and later writes get them again.
        long top = changed.isEmpty() ? highest(connection) : highest;
        boolean isLower = top < highest;
        highest = Math.min(top, highest);
        boolean tooMany = isLower || changed.size() > KEYS_MAX || !addSessions(connection, changed);
        if (tooMany) {
            tellGap();
            return;
        }
        // It is unknown whether the vacancy of an erased key was ever reported.
        erased.forEach(this::tellGap);
        tell(changed);
    }

    /** Adds the keys whose session changed; false if there are too many. */
    private boolean addSessions(Connection connection, List<Optional<Observation>> changed) throws SQLException {
        Map<String, Session> now = sessions(connection);
        Map<String, Session> before = sessions;
        sessions = now;
        for (Map.Entry<String, Session> entry : before.entrySet()) {
            Session then = entry.getValue();
            Session session = now.get(entry.getKey());
            if (then.ended() || then.equals(session) || session == null && now.size() == SESSIONS_MAX) {
                continue;
            }
            boolean isOver = session == null || session.ended();
            if (isOver) {
                changed.addAll(Jdbc.query(connection, KEPT, Rows::observation, entry.getKey(), KEYS_MAX + 1));
            } else if (!own.test(entry.getKey())) {
                List<Optional<Observation>> kept =
                        Jdbc.query(connection, KEPT, Rows::observation, entry.getKey(), RENEWED_KEYS_MAX + 1);
                changed.addAll(kept.size() > RENEWED_KEYS_MAX ? List.of() : kept);
            }
            if (changed.size() > KEYS_MAX) {
                return false;
            }
        }
        return true;
    }

    private static long dataVersion(Connection connection) throws SQLException {
        return number(connection, "PRAGMA data_version");
    }

    private static long highest(Connection connection) throws SQLException {
        return number(connection, HIGHEST);
    }

    private static long number(Connection connection, String sql) throws SQLException {
        return Jdbc.first(connection, sql, row -> row.getLong(1)).orElse(0L);
    }

    private static Map<String, Session> sessions(Connection connection) throws SQLException {
        Map<String, Session> sessions = new HashMap<>();
        Jdbc.query(
                connection,
                SESSIONS,
                row -> sessions.put(row.getString(1), new Session(row.getLong(2), row.getInt(3) != 0)) == null);
        return sessions;
    }

    @Override
    void end() {
        FileEvents open = events;
        events = null;
        if (open != null) {
            open.close();
        }
    }
}
