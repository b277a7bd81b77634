package dev.mandate.jdbc;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Removes dead sessions that no row names, so that they do not pile up: a few at a time, after renewals. Only
 * on the worker.
 *
 * <p>An ended session is deleted at once: its id never returns, and a row that an overlapping write left naming it
 * is vacant. Any other may belong to a live client: it is ended only if its version is unchanged after at least
 * two of its leases on the monotonic clock. A client that renewed in between keeps its session; one that did not
 * no longer believes.
 */
final class Sweep {
    /** How many sessions to read, or delete, at a time. */
    static final int ROWS_MAX = 100;

    private static final int STEP_MAX = 10;
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long MARGIN_MILLIS = 1_000;
    private static final long LEASE_MAX_MILLIS = TimeUnit.DAYS.toMillis(1);

    private static final String UNNAMED =
            "NOT EXISTS (SELECT 1 FROM mandate_election e WHERE e.session = mandate_session.id)";
    /** Deletes ended sessions. */
    static final String DELETE = "DELETE FROM mandate_session WHERE id IN (SELECT id FROM mandate_session"
            + " WHERE ended <> 0 AND " + UNNAMED + " LIMIT " + ROWS_MAX + ")";

    /** id: deletes one ended session. */
    static final String DELETE_ONE = "DELETE FROM mandate_session WHERE id = ? AND ended <> 0 AND " + UNNAMED;

    private static final String LOOK =
            "SELECT id, version, lease_millis FROM mandate_session WHERE id > ? AND ended = 0" + " AND " + UNNAMED
                    + " ORDER BY id LIMIT " + ROWS_MAX;

    private final Sql sql;
    private final LongSupplier nanos;
    private final Deque<Seen> seen = new ArrayDeque<>();
    private boolean looked;
    /** Where the last read ended, so that live sessions that hold nothing do not hide dead ones after them. */
    private String lookedTo = "";

    private long dueNanos;

    /** A session as read, and when it may be ended if unchanged. */
    private record Seen(String id, long version, long judgeNanos) {}

    Sweep(Sql sql) {
        this(sql, System::nanoTime);
    }

    /** Uses another monotonic clock. */
    Sweep(Sql sql, LongSupplier nanos) {
        this.sql = sql;
        this.nanos = nanos;
    }

    boolean isDue() {
        return !looked || nanos.getAsLong() - dueNanos >= 0;
    }

    /** Does a part of the work that is due, if any. */
    void step(Worker.Turn turn, String ownSession) throws SQLException {
        if (!isDue()) {
            return;
        }
        if (seen.isEmpty()) {
            Jdbc.update(turn.nextWrite(), DELETE);
            look(turn);
            return;
        }
        for (int i = 0; i < STEP_MAX && !seen.isEmpty(); i++) {
            // Checked here, where the session is ended, so that safety does not depend on scheduling.
            Seen session = seen.remove();
            if (nanos.getAsLong() - session.judgeNanos() >= 0) {
                Jdbc.update(turn.nextWrite(), sql.depose(), session.id(), session.version(), ownSession, ownSession);
            }
        }
        if (seen.isEmpty()) {
            Jdbc.update(turn.nextWrite(), DELETE);
            // After a full page, the next one follows at once.
            dueNanos = nanos.getAsLong() + (lookedTo.isEmpty() ? PAUSE_NANOS : 0);
        }
    }

    private void look(Worker.Turn turn) throws SQLException {
        List<Long> leases = new ArrayList<>();
        List<Seen> now = Jdbc.query(
                turn.next(),
                LOOK,
                row -> {
                    leases.add(Math.min(LEASE_MAX_MILLIS, row.getLong(3)));
                    return new Seen(row.getString(1), row.getLong(2), 0);
                },
                lookedTo);
        lookedTo = now.size() < ROWS_MAX ? "" : now.get(now.size() - 1).id();
        // Counted from after the read: what it showed was true before.
        long lookedNanos = nanos.getAsLong();
        dueNanos = lookedNanos + PAUSE_NANOS;
        for (int i = 0; i < now.size(); i++) {
            long judgeNanos = lookedNanos + TimeUnit.MILLISECONDS.toNanos(2 * leases.get(i) + MARGIN_MILLIS);
            seen.add(new Seen(now.get(i).id(), now.get(i).version(), judgeNanos));
            dueNanos = i == 0 || judgeNanos - dueNanos > 0 ? judgeNanos : dueNanos;
        }
        looked = true;
    }
}
