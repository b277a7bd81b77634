package dev.mandate.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Finding.Severity;
import dev.mandate.testkit.Direction;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerFixture;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The doctor on a real PostgreSQL that keeps what it confirms. Leases are long wherever it has to find nothing. */
class PostgresDoctorServerIT {
    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() throws Exception {
        ServerFixture fixture = ServerFixture.named("postgresql");
        try {
            // What the makers of this fixture turned off.
            server = EmbeddedPostgres.builder()
                    .setServerConfig("fsync", "on")
                    .setServerConfig("full_page_writes", "on")
                    .start();
        } catch (IOException | RuntimeException e) {
            throw fixture.missing("its binaries can't be started: " + e);
        }
        fixture.found(query("SHOW server_version"));
        assertThat(query("SHOW fsync")).isEqualTo("on");
        execute("CREATE ROLE app LOGIN", "CREATE SCHEMA doctor", "GRANT USAGE ON SCHEMA doctor TO app");
        // Whoever may make the tables does so.
        Doctored.at(url("postgres", "?schema=doctor&lease=60s"));
    }

    @AfterAll
    static void stop() throws IOException {
        if (server != null) {
            server.close();
        }
    }

    private static String query(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : "";
        }
    }

    private static void execute(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://localhost:" + server.getPort() + "/postgres?user=postgres");
    }

    private static String url(String user, String rest) {
        return "postgresql://" + user + "@localhost:" + server.getPort() + "/postgres" + rest;
    }

    /** But for the mark of what was erased. */
    private static void assertRows(String elections) throws SQLException {
        assertThat(query("SELECT count(*) FROM doctor.mandate_election WHERE path <> '#election'"))
                .isEqualTo(elections);
        assertThat(query("SELECT count(*) FROM doctor.mandate_session")).isEqualTo("0");
    }

    @Test
    void aServerThatIsWellIsSaidToBe() throws SQLException {
        execute("DELETE FROM doctor.mandate_election");
        Doctored.at(url("postgres", "?schema=doctor&lease=60s"))
                .assertVerdict(Severity.OK)
                .assertSays(Severity.OK, "version", "PostgreSQL ", "a primary")
                .assertSays(Severity.OK, "durability", "fsync on", "full_page_writes on")
                .assertSays(Severity.OK, "connections", "of 300 connections are in use")
                .assertSays(Severity.OK, "clock", "only makes tokens large")
                .assertSays(Severity.OK, "hints", "reported changes")
                .assertSays(Severity.OK, "operations", "acquiring, updating, releasing worked");
        assertRows("0");
    }

    /** Those of the documentation: elections need no right to delete theirs, so one vacant row stays, and is told. */
    @Test
    void theDocumentedRightsAreEnough() throws SQLException {
        execute(
                "DELETE FROM doctor.mandate_election",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON doctor.mandate_session TO app",
                "GRANT SELECT, INSERT, UPDATE ON doctor.mandate_election TO app");

        Doctored.at(url("app", "?schema=doctor&lease=60s"))
                .assertVerdict(Severity.OK)
                .assertSays(Severity.OK, "clean-up", "the vacant record", "remains", "may not delete");

        assertRows("1");
    }

    @Test
    void rightsThatAreMissingAreNamed() throws SQLException {
        execute("CREATE ROLE reader LOGIN", "GRANT USAGE ON SCHEMA doctor TO reader");
        execute("GRANT SELECT ON ALL TABLES IN SCHEMA doctor TO reader");

        Doctored.at(url("reader", "?schema=doctor&lease=60s"))
                .assertUnreachable("lacks rights", "mandate_election: INSERT", "GRANT them");
    }

    /** It takes connections, and that is all. */
    @Test
    void aServerThatHangsIsToldInOneSentence() throws Exception {
        try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.getPort())) {
            proxy.stall(Direction.TO_CLIENT);
            Doctored.at("postgresql://postgres@127.0.0.1:" + proxy.port() + "/postgres?schema=doctor")
                    .assertUnreachable("timed out");
        }
    }
}
