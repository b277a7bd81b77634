package dev.mandate.jdbc;

import dev.mandate.ElectionClient;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.OwnStore;
import dev.mandate.testkit.StoreWay;
import dev.mandate.testkit.TrialServer;
import dev.mandate.testkit.TrialStore;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A real PostgreSQL with clients. */
record PostgresTrialStore(PostgresServer.Server server) implements TrialStore {
    private static String url(String user, int port, String database, Duration lease) {
        return "postgresql://" + user + "@127.0.0.1:" + port + "/" + database + "?lease=" + lease.toSeconds() + "s";
    }

    private String url(int port) {
        return url("postgres", port, "postgres", lease());
    }

    @Override
    public String url(Duration lease) {
        return url("postgres", server.port(), "postgres", lease);
    }

    @Override
    public Duration lease() {
        return PostgresTrialsServerIT.LEASE;
    }

    @Override
    public Optional<StoreWay> way() throws Exception {
        return Optional.of(StoreWay.through(server.port(), this::url));
    }

    /** All records are in one table: it is a policy for its rows that keeps a user from those of a space. */
    @Override
    public Optional<Restricted> restricted(String space, Duration lease) throws SQLException {
        String denied = space + "_denied";
        try (Connection connection = server.connect()) {
            Jdbc.run(connection, "CREATE ROLE " + denied + " LOGIN");
            Jdbc.run(connection, "CREATE DATABASE " + denied);
        }
        // Makes the tables.
        ElectionClient.connect(url("postgres", server.port(), denied, lease)).close();
        try (Connection connection = DriverManager.getConnection(
                "jdbc:postgresql://localhost:" + server.port() + "/" + denied + "?user=postgres")) {
            String others = "(path NOT LIKE '%" + space + "/%')";
            for (String statement : List.of(
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON mandate_session, mandate_election TO " + denied,
                    "ALTER TABLE mandate_election ENABLE ROW LEVEL SECURITY",
                    "CREATE POLICY looks ON mandate_election FOR SELECT USING (true)",
                    "CREATE POLICY adds ON mandate_election FOR INSERT WITH CHECK " + others,
                    "CREATE POLICY writes ON mandate_election FOR UPDATE USING " + others)) {
                Jdbc.run(connection, statement);
            }
        }
        return Optional.of(new Restricted(
                url(denied, server.port(), denied, lease),
                List.of("this user may not do that", "row-level security", "mandate_election"),
                () -> {
                    try (Connection connection = server.connect()) {
                        Jdbc.run(connection, "DROP DATABASE " + denied + " WITH (FORCE)");
                        Jdbc.run(connection, "DROP ROLE " + denied);
                    }
                }));
    }

    @Override
    public Optional<OwnStore> own() throws IOException {
        TrialServer own = new PostgresTrialServer();
        return Optional.of(OwnStore.of(own, url(own.port())));
    }

    @Override
    public void delete(RecordKey key) throws SQLException {
        try (Connection connection = server.connect()) {
            SqlOperator.delete(connection, key);
        }
    }

    @Override
    public List<String> left(RecordKey prefix) throws SQLException {
        try (Connection connection = server.connect()) {
            return SqlOperator.left(connection, prefix);
        }
    }
}
