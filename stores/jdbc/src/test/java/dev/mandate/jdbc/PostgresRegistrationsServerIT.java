package dev.mandate.jdbc;

import dev.mandate.ElectionClient;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.OwnStore;
import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.StoreWay;
import dev.mandate.testkit.TrialServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Registered instances on a real PostgreSQL, killed, frozen, cut off and deleted by hand. */
@ExtendWith(PostgresServer.class)
class PostgresRegistrationsServerIT extends RegistrationTrials {
    private static final String DENIED = "registrations_denied";

    private PostgresServer.Server server;

    @BeforeEach
    void remember(PostgresServer.Server running) {
        server = running;
    }

    private static String url(int port) {
        return url("postgres", port, "postgres");
    }

    private static String url(String user, int port, String database) {
        return "postgresql://" + user + "@127.0.0.1:" + port + "/" + database + "?lease="
                + PostgresTrialsServerIT.LEASE.toSeconds() + "s";
    }

    @Override
    protected String url() {
        return url(server.port());
    }

    @Override
    protected Duration lease() {
        return PostgresTrialsServerIT.LEASE;
    }

    @Override
    protected Optional<StoreWay> way() throws Exception {
        return Optional.of(StoreWay.through(server.port(), PostgresRegistrationsServerIT::url));
    }

    /** All records are in one table: it is a policy for its rows that keeps a user from registrations. */
    @Override
    protected Optional<Restricted> restricted() throws SQLException {
        try (Connection connection = server.connect()) {
            Jdbc.run(connection, "CREATE ROLE " + DENIED + " LOGIN");
            Jdbc.run(connection, "CREATE DATABASE " + DENIED);
        }
        // Makes the tables.
        ElectionClient.connect(url("postgres", server.port(), DENIED)).close();
        try (Connection connection = DriverManager.getConnection(
                "jdbc:postgresql://localhost:" + server.port() + "/" + DENIED + "?user=postgres")) {
            for (String statement : List.of(
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON mandate_session, mandate_election TO " + DENIED,
                    "ALTER TABLE mandate_election ENABLE ROW LEVEL SECURITY",
                    "CREATE POLICY looks ON mandate_election FOR SELECT USING (true)",
                    "CREATE POLICY adds ON mandate_election FOR INSERT WITH CHECK (path NOT LIKE '%registration/%')",
                    "CREATE POLICY writes ON mandate_election FOR UPDATE USING (path NOT LIKE '%registration/%')")) {
                Jdbc.run(connection, statement);
            }
        }
        return Optional.of(new Restricted(
                url(DENIED, server.port(), DENIED),
                List.of("this user may not do that", "row-level security", "mandate_election"),
                () -> {
                    try (Connection connection = server.connect()) {
                        Jdbc.run(connection, "DROP DATABASE " + DENIED + " WITH (FORCE)");
                        Jdbc.run(connection, "DROP ROLE " + DENIED);
                    }
                }));
    }

    @Override
    protected Optional<OwnStore> own() throws IOException {
        TrialServer server = new PostgresTrialServer();
        return Optional.of(OwnStore.of(server, url(server.port())));
    }

    @Override
    protected void delete(String service, String id) throws SQLException {
        try (Connection connection = server.connect()) {
            Jdbc.update(
                    connection,
                    "DELETE FROM mandate_election WHERE path = ?",
                    RecordKey.registration(service, id).path());
        }
    }

    @Override
    protected List<String> left(String service) throws SQLException {
        try (Connection connection = server.connect()) {
            return Jdbc.query(
                    connection,
                    "SELECT path FROM mandate_election WHERE path LIKE ?",
                    row -> row.getString(1),
                    RecordKey.registrations(service).path() + "/%");
        }
    }
}
