package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Finding;
import dev.mandate.spi.Finding.Severity;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.StoreClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a real PostgreSQL says of itself. The one of the tests forgets what it confirmed if the power fails. */
@ExtendWith(PostgresServer.class)
class PostgresDiagnosisServerIT {
    private PostgresServer.Server server;

    @BeforeEach
    void remember(PostgresServer.Server running) {
        server = running;
        // Makes the tables, so that nobody else owns them.
        assertThat(diagnosed("postgres")).isNotEmpty();
    }

    private List<Finding> diagnosed(String user) {
        try (JdbcElectionStore store = (JdbcElectionStore) new JdbcStoreProvider()
                .open(StoreUrl.parse("postgresql://" + user + "@localhost:" + server.port() + "/postgres"))) {
            return StoreClient.answer(store.diagnose(Duration.ofSeconds(10), StoreClient.call()));
        }
    }

    private void run(String... statements) throws SQLException {
        try (Connection connection = server.connect()) {
            Jdbc.run(connection, statements);
        }
    }

    @Test
    void aServerThatMayForgetIsAnError() {
        assertThat(diagnosed("postgres"))
                .anyMatch(f -> f.severity() == Severity.ERROR
                        && f.subject().equals("durability")
                        && f.sentence().contains("fsync off")
                        && f.sentence().contains("two may lead"))
                .anyMatch(f -> f.severity() == Severity.OK && f.subject().equals("connections"))
                .noneMatch(f -> f.subject().equals("pooler"));
    }

    /**
     * The tests' own server runs without fsync, which is worse; so this one asks for what the user would be told first.
     */
    @Test
    void aUserWhoseCommitsWaitForNoStandbyIsToldSo() throws SQLException {
        run(
                "DROP ROLE IF EXISTS hasty",
                "CREATE ROLE hasty LOGIN SUPERUSER",
                "ALTER ROLE hasty SET synchronous_commit = local");
        try (JdbcElectionStore store = (JdbcElectionStore) new JdbcStoreProvider()
                .open(StoreUrl.parse("postgresql://hasty@localhost:" + server.port() + "/postgres"))) {
            assertThat(store.traits().assumptions())
                    .anyMatch(line -> line.contains("synchronous_commit is local, so no standby is waited for"));
        } finally {
            run("DROP ROLE hasty");
        }
    }

    @Test
    void aServerThatCutsQuietConnectionsIsAWarning() throws SQLException {
        run(
                "DROP ROLE IF EXISTS quiet",
                "CREATE ROLE quiet LOGIN SUPERUSER",
                "ALTER ROLE quiet SET idle_session_timeout = '1h'");
        try {
            assertThat(diagnosed("quiet"))
                    .anyMatch(f ->
                            f.severity() == Severity.WARNING && f.sentence().contains("idle_session_timeout is 1h"));
        } finally {
            run("DROP ROLE quiet");
        }
    }
}
