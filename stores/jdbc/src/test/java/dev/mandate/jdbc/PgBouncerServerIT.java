package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Finding;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.StoreClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Behind a real PgBouncer, which runs each transaction in whichever session is free. */
@ExtendWith(PostgresServer.class)
class PgBouncerServerIT {
    private static final String SETTINGS =
            "current_setting('synchronous_commit') || ' ' || current_setting('lock_timeout')"
                    + " || ' ' || current_setting('statement_timeout')"
                    + " || ' ' || current_setting('transaction_isolation')";

    private PostgresServer.Server server;
    private PgBouncer bouncer;

    /**
     * A user whose commits wait for no disk unless asked to, and whose transactions exclude each other more than
     * others, and tables that write down how each write was committed.
     */
    @BeforeEach
    void start(PostgresServer.Server running) throws SQLException {
        server = running;
        run(
                "DROP SCHEMA IF EXISTS bounced CASCADE",
                "CREATE SCHEMA bounced",
                "DROP ROLE IF EXISTS relaxed",
                "CREATE ROLE relaxed LOGIN SUPERUSER",
                "ALTER ROLE relaxed SET synchronous_commit = off",
                "ALTER ROLE relaxed SET default_transaction_isolation = 'serializable'",
                "ALTER ROLE relaxed SET search_path = bounced");
        bouncer = new PgBouncer(server.port(), "relaxed");
        open("sessions").close();
        run(
                "CREATE TABLE bounced.writes (settings text, session bigint)",
                "CREATE FUNCTION bounced.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                        + " INSERT INTO bounced.writes VALUES (" + SETTINGS
                        + ", pg_backend_pid()); RETURN NULL; END $$",
                "CREATE TRIGGER note AFTER INSERT OR UPDATE ON bounced.mandate_election"
                        + " FOR EACH ROW EXECUTE FUNCTION bounced.note()",
                "CREATE TRIGGER note AFTER INSERT OR UPDATE ON bounced.mandate_session"
                        + " FOR EACH ROW EXECUTE FUNCTION bounced.note()");
    }

    @AfterEach
    void stop() throws SQLException {
        bouncer.close();
        run("DROP SCHEMA bounced CASCADE", "DROP ROLE relaxed");
    }

    private void run(String... statements) throws SQLException {
        try (Connection connection = server.connect()) {
            Jdbc.run(connection, statements);
        }
    }

    private JdbcElectionStore open(String database) {
        return (JdbcElectionStore) new JdbcStoreProvider().open(StoreUrl.parse(bouncer.url(database)));
    }

    /** Holds the session that was used last, so that the next transaction runs in another one. */
    private Connection busy() throws SQLException {
        Connection connection = bouncer.connect("transactions");
        connection.setAutoCommit(false);
        Jdbc.query(connection, "SELECT 1", row -> 0);
        return connection;
    }

    @Test
    void everyWriteWaitsForTheDiskWhateverSessionItRunsIn() throws Exception {
        RecordKey key = RecordKey.election("bounced");
        List<Connection> busy = new ArrayList<>();
        try (StoreClient client = new StoreClient(open("transactions"))) {
            busy.add(busy());
            Observation.Held led = client.lead(key);
            busy.add(busy());
            assertThat(client.renew()).isInstanceOf(SessionRenewal.Renewed.class);
            busy.add(busy());
            Observation.Held proclaimed = StoreClient.written(client.update(led, Intent.PROCLAIM));
            busy.add(busy());
            client.release(proclaimed);
        }
        for (Connection connection : busy) {
            connection.rollback();
            connection.close();
        }

        try (Connection operator = server.connect()) {
            assertThat(Jdbc.query(operator, "SELECT DISTINCT session FROM bounced.writes", row -> row.getLong(1)))
                    .as("sessions")
                    .hasSizeGreaterThanOrEqualTo(4);
            assertThat(Jdbc.query(operator, "SELECT settings FROM bounced.writes", row -> row.getString(1)))
                    .as("how the writes were committed")
                    .hasSizeGreaterThanOrEqualTo(6)
                    .allMatch(settings -> settings.matches("on [1-9][0-9]*m?s? [1-9][0-9]*m?s? read committed"));
        }
    }

    @Test
    void nothingStaysOnTheSessionsOfOthers() throws Exception {
        RecordKey key = RecordKey.election("clean");
        try (StoreClient client = new StoreClient(open("transactions"))) {
            client.release(client.lead(key));
            client.renew();

            List<Connection> others = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                others.add(busy());
                assertThat(Jdbc.query(others.get(i), "SELECT " + SETTINGS, row -> row.getString(1)))
                        .containsExactly("off 0 0 serializable");
            }
            for (Connection connection : others) {
                connection.rollback();
                connection.close();
            }
        }
    }

    @Test
    void twoClientsExcludeEachOther() throws Exception {
        RecordKey key = RecordKey.election("excluded");
        try (StoreClient holder = new StoreClient(open("transactions"));
                StoreClient challenger = new StoreClient(open("transactions"))) {
            Observation.Held led = holder.lead(key);
            Observation.Held seen = challenger.readHeld(key);
            holder.renew();
            StoreClient.refused(challenger.acquire(key, seen));

            Observation.Held taken = StoreClient.written(challenger.acquire(key, challenger.readHeld(key)));

            assertThat(taken.term()).isGreaterThan(led.term());
            assertThat(holder.renew()).isEqualTo(SessionRenewal.gone());
        }
    }

    @Test
    void theDoctorKnowsHowItPools() {
        assertThat(pooler("transactions")).isEqualTo(Finding.Severity.WARNING);
        assertThat(pooler("sessions")).isEqualTo(Finding.Severity.OK);
    }

    private Finding.Severity pooler(String database) {
        try (JdbcElectionStore store = open(database)) {
            return StoreClient.answer(store.diagnose(Duration.ofSeconds(10), StoreClient.call())).stream()
                    .filter(finding -> finding.subject().equals("pooler"))
                    .findFirst()
                    .orElseThrow()
                    .severity();
        }
    }
}
