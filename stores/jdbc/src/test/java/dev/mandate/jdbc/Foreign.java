package dev.mandate.jdbc;

import dev.mandate.spi.RecordKey;
import java.sql.Connection;
import java.sql.SQLException;

/** Another program that knows the tables, but not the format of records. */
final class Foreign {
    private Foreign() {}

    static void write(Connection connection, RecordKey key, String text) throws SQLException {
        String session = "foreign-" + System.nanoTime();
        Jdbc.update(
                connection,
                "INSERT INTO mandate_session (id, lease_millis, version, ended) VALUES (?, 60000, 1, 0)",
                session);
        Jdbc.update(
                connection,
                "INSERT INTO mandate_election (path, version, term, session, record)"
                        + " SELECT ?, coalesce(max(version), 0) + 1, 1, ?, ? FROM mandate_election",
                key.path(),
                session,
                text);
    }
}
