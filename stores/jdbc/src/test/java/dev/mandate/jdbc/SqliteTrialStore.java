package dev.mandate.jdbc;

import dev.mandate.ElectionClient;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.OwnStore;
import dev.mandate.testkit.TrialStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

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

    /** Another file. There is no server to kill; who locks it keeps all others from writing. */
    @Override
    public Optional<OwnStore> own() throws SQLException {
        SqliteTrialStore own = new SqliteTrialStore(file.resolveSibling("own.db"));
        ElectionClient.connect(own.url()).close();
        Connection operator = own.connect();
        return Optional.of(new OwnStore() {
            @Override
            public String url() {
                return own.url();
            }

            @Override
            public void restart() {
                // Nothing runs but clients.
            }

            @Override
            public void freeze() throws SQLException {
                Jdbc.run(operator, "BEGIN EXCLUSIVE");
            }

            @Override
            public void thaw() throws SQLException {
                Jdbc.run(operator, "ROLLBACK");
            }

            @Override
            public void empty() throws SQLException {
                SqlOperator.empty(operator);
            }

            @Override
            public void close() throws SQLException {
                operator.close();
            }
        });
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
