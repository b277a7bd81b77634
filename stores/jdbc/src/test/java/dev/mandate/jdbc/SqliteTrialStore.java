package dev.mandate.jdbc;

import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.TrialStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * A file with clients. Nothing lies between a client and its file, and whoever may write the file may write all of it.
 */
record SqliteTrialStore(Path file) implements TrialStore {
    private static final Duration LEASE = Duration.ofSeconds(2);

    private Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Jdbc.run(connection, "PRAGMA busy_timeout = 20000");
        return connection;
    }

    @Override
    public String url(Duration lease) {
        return "sqlite:" + file + "?lease=" + lease.toSeconds() + "s";
    }

    @Override
    public Duration lease() {
        return LEASE;
    }

    @Override
    public void delete(RecordKey key) throws SQLException {
        try (Connection connection = connect()) {
            SqlOperator.delete(connection, key);
        }
    }

    @Override
    public List<String> left(RecordKey prefix) throws SQLException {
        try (Connection connection = connect()) {
            return SqlOperator.left(connection, prefix);
        }
    }
}
