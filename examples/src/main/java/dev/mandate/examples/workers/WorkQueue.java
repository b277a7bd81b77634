package dev.mandate.examples.workers;

import dev.mandate.FencingToken;
import dev.mandate.examples.legacy.Event;
import dev.mandate.jdbc.SqlFence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * Which worker has to do what. Only the leader queues and reassigns, under its fencing token: a former leader's writes
 * are rejected. Two rows for one event would mean work done twice; no constraint of the table hides that.
 */
final class WorkQueue {
    private static final int BATCH = 100;

    private final DataSource database;
    private final SqlFence fence;

    WorkQueue(DataSource database) {
        this.database = database;
        this.fence = SqlFence.of(database, "work");
    }

    /** Creates the tables that are missing. */
    void create() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS work (position INTEGER PRIMARY KEY, event_id BIGINT NOT NULL,"
                    + " token BIGINT NOT NULL, payload TEXT NOT NULL, worker TEXT NOT NULL, done_by TEXT)");
        }
        fence.createTable();
    }

    /** From here on, nothing from an older leader is accepted. */
    void begin(FencingToken token) throws SQLException {
        fence.advance(token);
    }

    /** Queues all of {@code events}, or none of them, each for the worker that {@code next} names. */
    void put(FencingToken token, List<Event> events, Supplier<String> next) throws SQLException {
        fence.run(token, connection -> {
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO work (event_id, token, payload, worker) VALUES (?, ?, ?, ?)")) {
                for (Event event : events) {
                    insert.setLong(1, event.id());
                    insert.setLong(2, token.value());
                    insert.setString(3, event.payload());
                    insert.setString(4, next.get());
                    insert.executeUpdate();
                }
            }
        });
    }

    /** Assigns open work of workers that are not in {@code live} to those that {@code next} names; returns how much. */
    int reassign(FencingToken token, Set<String> live, Supplier<String> next) throws SQLException {
        List<Long> stranded = stranded(live);
        return stranded.isEmpty()
                ? 0
                : fence.call(token, connection -> {
                    try (PreparedStatement update = connection.prepareStatement(
                            "UPDATE work SET worker = ? WHERE position = ? AND done_by IS NULL")) {
                        int moved = 0;
                        for (long position : stranded) {
                            update.setString(1, next.get());
                            update.setLong(2, position);
                            moved += update.executeUpdate();
                        }
                        return moved;
                    }
                });
    }

    private List<Long> stranded(Set<String> live) throws SQLException {
        List<Long> stranded = new ArrayList<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT position, worker FROM work WHERE done_by IS NULL LIMIT 1000")) {
            while (rows.next()) {
                if (!live.contains(rows.getString(2))) {
                    stranded.add(rows.getLong(1));
                }
            }
        }
        return stranded;
    }

    /** The open work of {@code worker}, oldest first, at most a hundred events. */
    List<Event> of(String worker) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT event_id, payload FROM work"
                        + " WHERE worker = ? AND done_by IS NULL ORDER BY position LIMIT " + BATCH)) {
            select.setString(1, worker);
            List<Event> events = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    events.add(new Event(rows.getLong(1), rows.getString(2)));
                }
            }
            return events;
        }
    }

    /** Marks the event as done; false if it was assigned to another worker meanwhile, which will do it again. */
    boolean done(String worker, Event event) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement update = connection.prepareStatement(
                        "UPDATE work SET done_by = ? WHERE event_id = ? AND worker = ? AND done_by IS NULL")) {
            update.setString(1, worker);
            update.setLong(2, event.id());
            update.setString(3, worker);
            return update.executeUpdate() > 0;
        }
    }

    /** The newest event that was queued; 0 if none was. */
    long newest() throws SQLException {
        return number("SELECT coalesce(max(event_id), 0) FROM work");
    }

    /** How many events were queued. */
    long queued() throws SQLException {
        return number("SELECT count(DISTINCT event_id) FROM work");
    }

    /** How many rows exceed one for each event: the damage. */
    long duplicates() throws SQLException {
        return number("SELECT count(*) - count(DISTINCT event_id) FROM work");
    }

    /** How many events are done. */
    long done() throws SQLException {
        return number("SELECT count(*) FROM work WHERE done_by IS NOT NULL");
    }

    /** Whether the leader with {@code token} queued something. */
    boolean hasQueued(FencingToken token) throws SQLException {
        return number("SELECT EXISTS (SELECT 1 FROM work WHERE token = " + token.value() + ")") > 0;
    }

    /** How many leaders queued something. */
    long leaders() throws SQLException {
        return number("SELECT count(DISTINCT token) FROM work");
    }

    private long number(String query) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
