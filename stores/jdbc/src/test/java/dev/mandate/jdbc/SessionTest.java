package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.testkit.StoreClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a session is renewed, and when it is over for good. */
class SessionTest {
    @TempDir
    Path directory;

    private TrialDatabase database;
    private JdbcElectionStore store;
    private StoreClient client;

    @BeforeEach
    void open() {
        database = new TrialDatabase(directory.resolve("mandate.db"));
        store = JdbcElectionStore.open(database, true);
        client = new StoreClient(store, Duration.ofSeconds(30));
    }

    @AfterEach
    void close() {
        database.onStatement = () -> {};
        client.close();
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("mandate.db"))) {
            Jdbc.run(connection, sql);
        }
    }

    private String where() {
        return " WHERE id = '" + client.session().id() + "'";
    }

    /** A sweep follows the first renewal, on the thread that reads. */
    private void afterTheSweep() {
        client.read(RecordKey.election("e"));
    }

    private long version() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("mandate.db"))) {
            return Jdbc.first(connection, "SELECT version FROM mandate_session" + where(), row -> row.getLong(1))
                    .orElseThrow();
        }
    }

    @Test
    void eachRenewalRaisesTheVersionByOneAndSaysWhatWasGranted() throws Exception {
        for (int i = 2; i < 6; i++) {
            assertThat(client.renew()).isEqualTo(SessionRenewal.renewed(Duration.ofSeconds(30)));
            assertThat(version()).isEqualTo(i);
        }
    }

    /** Its answer was lost: the next one goes on from there, and the one after that needs no second look. */
    @Test
    void aRenewalThatLandedUnnoticedIsAdopted() throws Exception {
        run("UPDATE mandate_session SET version = 17" + where());

        assertThat(client.renew()).isInstanceOf(SessionRenewal.Renewed.class);
        assertThat(version()).isEqualTo(18);
        afterTheSweep();
        AtomicInteger statements = new AtomicInteger();
        database.onStatement = statements::incrementAndGet;
        assertThat(client.renew()).isInstanceOf(SessionRenewal.Renewed.class);

        assertThat(version()).isEqualTo(19);
        assertThat(statements).hasValue(1);
    }

    /** It is no other client's to renew: three tries, and an answer that says so. */
    @Test
    void aSessionThatSomethingElseKeepsChangingIsNotConfirmed() throws Exception {
        AtomicInteger statements = new AtomicInteger();
        database.onStatement = () -> {
            statements.incrementAndGet();
            run("UPDATE mandate_session SET version = version + 1" + where());
        };

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(client::renew)
                .withMessageContaining("something else keeps changing its row; a session belongs to one client");
        assertThat(statements).hasValue(6);
    }

    @Test
    void whatWasEndedByAChallengerIsOverThoughItsVersionMatches() throws Exception {
        run("UPDATE mandate_session SET ended = 1" + where());

        assertThat(client.renew()).isEqualTo(SessionRenewal.gone());
    }

    @Test
    void aSessionWhoseRowIsGoneIsOver() throws Exception {
        run("DELETE FROM mandate_session" + where());

        assertThat(client.renew()).isEqualTo(SessionRenewal.gone());
    }

    /** The watch leaves out the renewals of its own sessions, and of those alone. */
    @Test
    void aSessionIsTheStoresOwnUntilItIsOver() throws Exception {
        store.watch(RecordKey.elections(), hint -> {}).close();
        String first = client.session().id();
        StoreClient another = new StoreClient(store);
        String second = another.session().id();
        assertThat(database.own.test(first)).isTrue();
        assertThat(database.own.test(second)).isTrue();
        assertThat(database.own.test("a rival's")).isFalse();
        client.renew();
        assertThat(database.own.test(first)).isTrue();

        another.end();
        run("DELETE FROM mandate_session" + where());
        client.renew();

        assertThat(database.own.test(first)).isFalse();
        assertThat(database.own.test(second)).isFalse();
    }

    /** After a renewal there is time to tidy up. */
    @Test
    void aRenewalSweepsWhatIsOver() throws Exception {
        run("INSERT INTO mandate_session VALUES ('over', 1000, 1, 1)");

        client.renew();
        afterTheSweep();

        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("mandate.db"))) {
            assertThat(Jdbc.query(connection, "SELECT id FROM mandate_session", row -> row.getString(1)))
                    .containsExactly(client.session().id());
        }
        AtomicInteger statements = new AtomicInteger();
        database.onStatement = statements::incrementAndGet;
        client.renew();
        client.read(RecordKey.election("e"));
        assertThat(statements).hasValue(2);
    }

    @Test
    void aSessionIsOfItsOwnStoreOnly() {
        assertThat(((JdbcSession) client.session()).isOf(store)).isTrue();
        JdbcElectionStore other = JdbcElectionStore.open(new TrialDatabase(directory.resolve("mandate.db")), true);
        assertThat(((JdbcSession) client.session()).isOf(other)).isFalse();
        other.close();
    }

    @Test
    void whatIsGrantedIsAskedForInWholeMillisecondsWithinWhatTheStoreCanDo() {
        assertThat(granted(Duration.ofMillis(1_500))).isEqualTo(Duration.ofMillis(1_500));
        assertThat(granted(Duration.ofMillis(1_500).plusNanos(1))).isEqualTo(Duration.ofMillis(1_501));
        assertThat(granted(Duration.ofMillis(1))).isEqualTo(store.traits().leaseMin());
        assertThat(granted(Duration.ofDays(400))).isEqualTo(store.traits().leaseMax());
    }

    private Duration granted(Duration lease) {
        return new StoreClient(store, lease).session().granted();
    }
}
