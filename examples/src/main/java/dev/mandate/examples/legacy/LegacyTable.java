package dev.mandate.examples.legacy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * The table that an old program writes events into. It has no column to claim a row with, and nobody may add one, so
 * only one worker may poll it.
 */
public final class LegacyTable {
    private static final int BATCH = 100;

    private final DataSource database;

    /** The legacy table in {@code database}. */
    public LegacyTable(DataSource database) {
        this.database = database;
    }

    /** Creates it if it is missing. */
    public void create() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS legacy_event (id INTEGER PRIMARY KEY, payload TEXT NOT NULL)");
        }
    }

    /** Writes an event, as the old program does. */
    public void add(String payload) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO legacy_event (payload) VALUES (?)")) {
            insert.setString(1, payload);
            insert.executeUpdate();
        }
    }

    /** The next events after {@code id}, oldest first, at most a hundred. */
    public List<Event> after(long id) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement select = connection.prepareStatement(
                        "SELECT id, payload FROM legacy_event WHERE id > ? ORDER BY id LIMIT " + BATCH)) {
            select.setLong(1, id);
            List<Event> events = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    events.add(new Event(rows.getLong(1), rows.getString(2)));
                }
            }
            return events;
        }
    }
}
