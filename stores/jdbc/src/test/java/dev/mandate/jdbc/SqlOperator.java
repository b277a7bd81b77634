package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.RecordKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Somebody with a database's own shell at hand. Blocks. */
final class SqlOperator {
    private SqlOperator() {}

    static void delete(Connection connection, RecordKey key) throws SQLException {
        int deleted = Jdbc.update(connection, "DELETE FROM mandate_election WHERE path = ?", key.path());
        assertThat(deleted).as("rows of %s", key).isEqualTo(1);
    }

    /** The paths of all rows below {@code prefix}. */
    static List<String> left(Connection connection, RecordKey prefix) throws SQLException {
        return Jdbc.query(
                connection,
                "SELECT path FROM mandate_election WHERE path LIKE ?",
                row -> row.getString(1),
                prefix.path() + "/%");
    }

    /** Empties all tables. */
    static void empty(Connection connection) throws SQLException {
        Jdbc.run(connection, "DELETE FROM mandate_election");
        Jdbc.run(connection, "DELETE FROM mandate_session");
    }
}
