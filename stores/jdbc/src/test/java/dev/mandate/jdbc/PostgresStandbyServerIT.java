package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.StoreClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A server whose synchronous standby is gone: commits wait, and none of the server's own time-outs ends that. */
@ExtendWith(PostgresServer.class)
class PostgresStandbyServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final RecordKey KEY = RecordKey.election("standby");

    @Test
    void commitsThatWaitForAStandbyDoNotPileUp() throws Exception {
        try (PostgresServer.Server server = PostgresServer.Server.start();
                Connection operator = server.connect();
                StoreClient client = new StoreClient(new JdbcStoreProvider()
                        .open(StoreUrl.parse("postgresql://postgres@localhost:" + server.port() + "/postgres")))) {
            Observation.Held led = client.lead(KEY);
            standby(operator, "SET synchronous_standby_names = 'gone'", "gone");
            // Commits wait once the checkpointer, too, has read the settings.
            Await.until("a commit to wait", PATIENCE, () -> !isRenewed(client));

            StoreUnavailableException last = null;
            for (int i = 0; i < 8; i++) {
                assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> renew(client));
                last = assertThrows(
                        StoreUnavailableException.class,
                        () -> StoreClient.answer(
                                client.store().openSession(Duration.ofSeconds(10), CallContext.within(SHORT))));
            }

            assertThat(waiting(operator)).isBetween(1L, 2L);
            assertThat(last).hasMessageContaining("2 earlier writes").hasMessageContaining("SyncRep");
            assertThat(client.readHeld(KEY).basis()).isEqualTo(led.basis());
            assertThat(cluster(client)).isEqualTo(Finding.Severity.ERROR);

            standby(operator, "RESET synchronous_standby_names", "");
            Await.until("a renewal", PATIENCE, () -> isRenewed(client));
            assertThat(cluster(client)).isEqualTo(Finding.Severity.OK);
        }
    }

    private static SessionRenewal renew(StoreClient client) {
        return StoreClient.answer(client.session().renew(CallContext.within(SHORT)));
    }

    private static boolean isRenewed(StoreClient client) {
        try {
            return renew(client) instanceof SessionRenewal.Renewed;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static void standby(Connection operator, String change, String expected) throws SQLException {
        Jdbc.run(operator, "ALTER SYSTEM " + change);
        Jdbc.query(operator, "SELECT pg_reload_conf()", row -> 0);
        Await.until("the standbys to be '" + expected + "'", PATIENCE, () -> {
            try {
                return Jdbc.first(operator, "SHOW synchronous_standby_names", row -> row.getString(1))
                        .orElseThrow()
                        .equals(expected);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static long waiting(Connection operator) throws SQLException {
        return Jdbc.first(
                        operator,
                        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
                        row -> row.getLong(1))
                .orElseThrow();
    }

    /** The worst that the doctor says of the cluster; fine where it says nothing. */
    private static Finding.Severity cluster(StoreClient client) {
        return StoreClient.answer(((JdbcElectionStore) client.store())
                        .diagnose(Duration.ofSeconds(10), CallContext.within(PATIENCE)))
                .stream()
                .filter(finding -> finding.subject().equals("cluster"))
                .map(Finding::severity)
                .findFirst()
                .orElse(Finding.Severity.OK);
    }
}
