package dev.mandate.examples.legacy;

import dev.mandate.FencingToken;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/**
 * The queue of work: a relay sends each row to a message broker, with the event's id and the token in the headers. Two
 * rows for one event mean work done twice.
 */
public abstract sealed class Outbox permits FencedOutbox, UnfencedOutbox {
    private final DataSource database;

    Outbox(DataSource database) {
        this.database = database;
    }

    /** Creates the table if it is missing. */
    public void create() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS outbox (position INTEGER PRIMARY KEY, event_id BIGINT NOT NULL,"
                            + " token BIGINT NOT NULL, payload TEXT NOT NULL)");
        }
    }

    /** Called once, and confirmed, before a term's work begins. */
    public abstract void begin(FencingToken token) throws SQLException;

    /** Queues all of {@code events}, or none of them. */
    public abstract void put(FencingToken token, List<Event> events) throws SQLException;

    /** The newest event that was queued; 0 if none was. */
    public long newest() throws SQLException {
        return number("SELECT coalesce(max(event_id), 0) FROM outbox");
    }

    /** How many rows there are. */
    public long size() throws SQLException {
        return number("SELECT count(*) FROM outbox");
    }

    /** How many rows exceed one for each event: the damage. */
    public long duplicates() throws SQLException {
        return number("SELECT count(*) - count(DISTINCT event_id) FROM outbox");
    }

    final DataSource database() {
        return database;
    }

    static void insert(Connection connection, FencingToken token, List<Event> events) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO outbox (event_id, token, payload) VALUES (?, ?, ?)")) {
            for (Event event : events) {
                insert.setLong(1, event.id());
                insert.setLong(2, token.value());
                insert.setString(3, event.payload());
                insert.executeUpdate();
            }
        }
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
