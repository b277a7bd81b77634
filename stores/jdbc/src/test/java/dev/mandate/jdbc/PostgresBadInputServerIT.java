package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.Subscription;
import dev.mandate.testkit.StoreClient;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What can be wrong with a server: one clear sentence each, no secret in it, and nothing lost. */
@ExtendWith(PostgresServer.class)
class PostgresBadInputServerIT {
    private static final String PASSWORD = "canary-7f3a";

    @TempDir
    Path directory;

    private PostgresServer.Server server;

    @BeforeEach
    void remember(PostgresServer.Server running) throws Exception {
        server = running;
        run(
                "DROP SCHEMA IF EXISTS bare CASCADE",
                "CREATE SCHEMA bare",
                "DO $$ BEGIN CREATE ROLE guest LOGIN PASSWORD '" + PASSWORD + "';"
                        + " EXCEPTION WHEN duplicate_object THEN NULL; END $$",
                "GRANT USAGE ON SCHEMA bare TO guest");
    }

    private void run(String... statements) throws SQLException {
        try (Connection connection = server.connect()) {
            Jdbc.run(connection, statements);
        }
    }

    private JdbcElectionStore open(String user, String parameters) {
        return open("postgresql://" + user + "@localhost:" + server.port() + "/postgres" + parameters);
    }

    private static JdbcElectionStore open(String url) {
        return (JdbcElectionStore) new JdbcStoreProvider().open(StoreUrl.parse(url));
    }

    private static void refused(Runnable opening, String... words) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(opening::run)
                .withMessageContainingAll(words);
    }

    @Test
    void aMissingDatabaseIsNamed() {
        refused(
                () -> open("postgresql://postgres@localhost:" + server.port() + "/nowhere"),
                "\"nowhere\" does not exist");
    }

    @Test
    void anUnknownHostMayBecomeKnown() {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> open("postgresql://u@no-such-host.invalid/db"))
                .withMessageContaining("unknown host: no-such-host.invalid");
    }

    @Test
    void nobodyListeningIsNoSetupFault() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> open("postgresql://u@127.0.0.1:" + port + "/db"))
                .withMessageContaining("connection refused");
    }

    @Test
    void aServerThatNeverAnswersEndsTheOpening() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> open("postgresql://u@127.0.0.1:" + silent.getLocalPort() + "/db"))
                    .withMessageContaining("127.0.0.1:" + silent.getLocalPort() + "/db");
        }
    }

    /** Access by password must be asked for in the server's own rules first. */
    @Test
    void aWrongPasswordIsRefusedAndNeverShown() throws Exception {
        Path rules;
        try (Connection connection = server.connect()) {
            rules = Path.of(Jdbc.first(connection, "SHOW hba_file", row -> row.getString(1))
                    .orElseThrow());
        }
        String before = Files.readString(rules);
        Path file = directory.resolve("password");
        Files.writeString(file, PASSWORD + "\nand nothing else\n");
        try {
            Files.writeString(rules, "host all guest all scram-sha-256\n" + before);
            run("SELECT pg_reload_conf()", "GRANT CREATE ON SCHEMA bare TO guest");
            // The server takes note of new rules in its own time.
            Throwable failure = null;
            for (int i = 0; i < 200 && failure == null; i++) {
                failure = catchThrowable(
                        () -> open("guest:" + PASSWORD + "x", "?schema=bare").close());
            }

            assertThat(failure)
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageContaining("the server refuses this user or password");
            StringWriter everything = new StringWriter();
            failure.printStackTrace(new PrintWriter(everything));
            assertThat(everything.toString()).doesNotContain(PASSWORD);
            try (JdbcElectionStore store = open("guest:" + PASSWORD, "?schema=bare")) {
                assertThat(store.toString()).doesNotContain(PASSWORD);
                assertThat(store.traits().toString()).doesNotContain(PASSWORD);
            }
            open("guest", "?schema=bare&passwordFile=" + file).close();
            refused(
                    () -> open("guest", "?schema=bare&passwordFile=" + file + "x"),
                    "the password file",
                    "can't be read");
            refused(() -> open("guest", "?schema=bare&passwordEnv=MANDATE_NO_SUCH"), "MANDATE_NO_SUCH", "is not set");
        } finally {
            Files.writeString(rules, before);
            run("SELECT pg_reload_conf()");
        }
    }

    @Test
    void aBadlyEncodedPasswordIsNotQuoted() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> open("postgresql://u:%zz" + PASSWORD + "@h/db"))
                .withMessageContaining("the password in the store URL is badly percent-encoded")
                .withMessageNotContaining(PASSWORD)
                .withNoCause();
    }

    @Test
    void missingTablesWithoutTheRightToMakeThemArePrinted() throws Exception {
        refused(
                () -> open("guest", "?schema=bare"),
                "its tables are missing, and this user may not make them",
                "permission denied for schema bare",
                "GRANT it",
                "CREATE TABLE IF NOT EXISTS mandate_session (id text");
        refused(
                () -> open("postgres", "?schema=bare&create=false"),
                "its tables are missing",
                "CREATE TABLE IF NOT EXISTS mandate_election (path text");
        refused(() -> open("postgres", "?schema=nowhere"), "no schema has been selected");

        try (Connection connection = server.connect("postgres", "bare")) {
            Jdbc.run(connection, Ddl.text(Sql.of(Dialect.POSTGRESQL)));
        }
        refused(
                () -> open("guest", "?schema=bare"),
                "this user lacks rights: mandate_session: SELECT",
                "mandate_election: UPDATE; GRANT them");
        run(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON bare.mandate_session TO guest",
                "GRANT SELECT, INSERT, UPDATE ON bare.mandate_election TO guest");
        try (StoreClient client = new StoreClient(open("guest", "?schema=bare&create=false"))) {
            RecordKey key = RecordKey.election("granted");
            client.release(client.lead(key));
            client.renew();
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> client.erase(key))
                    .matches(StoreSetupException::isDenied)
                    .withMessageContaining("mandate_election");
            client.lead(key);
        }
    }

    @Test
    void theDocumentedStatementsDoWhatTheySay() throws Exception {
        RecordKey key = RecordKey.election("documented");
        try (Connection connection = server.connect("postgres", "bare")) {
            Jdbc.run(connection, DocumentedSql.of("postgresql.md", "CREATE").toArray(String[]::new));
            for (String grant : DocumentedSql.of("postgresql.md", "GRANT")) {
                assertThat(grant).endsWith(" TO app");
                Jdbc.run(connection, grant.replace(" TO app", " TO guest"));
            }

            try (StoreClient client = new StoreClient(open("guest", "?schema=bare&create=false"))) {
                client.lead(key);

                List<String> select = DocumentedSql.of("postgresql.md", "SELECT");
                assertThat(select).hasSize(1);
                assertThat(Jdbc.query(connection, select.get(0), row -> row.getString(1) + " " + row.getString(3)))
                        .containsExactly("election/documented value");
            }
        }
    }

    @Test
    void clientsThatMakeTheTablesTogetherAllOpen() throws Exception {
        for (int round = 0; round < 5; round++) {
            run("DROP SCHEMA bare CASCADE", "CREATE SCHEMA bare");
            var threads = new ArrayList<CompletableFuture<JdbcElectionStore>>();
            for (int i = 0; i < 6; i++) {
                threads.add(CompletableFuture.supplyAsync(() -> open("postgres", "?schema=bare")));
            }
            for (var opening : threads) {
                opening.get(30, TimeUnit.SECONDS).close();
            }
        }
    }

    @Test
    void aDatabaseThatCannotHoldEveryValueIsRefused() throws Exception {
        run(
                "DROP DATABASE IF EXISTS latin",
                "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");

        refused(() -> open("postgresql://postgres@localhost:" + server.port() + "/latin"), "encoded in LATIN1");
    }

    /** As long as a client's calls take with the default lease. */
    private static CallContext call() {
        return CallContext.within(
                Duration.ofNanos(LeaseTiming.of(Duration.ofSeconds(10)).requestTimeoutNanos()));
    }

    private static long session(StoreClient client) {
        return StoreClient.answer(((JdbcElectionStore) client.store())
                .worker()
                .submit(
                        Worker.Lane.ORDINARY,
                        "asking",
                        StoreClient.call(),
                        turn -> Jdbc.first(turn.next(), "SELECT pg_backend_pid()", row -> row.getLong(1))
                                .orElseThrow()));
    }

    /**
     * An operator's open transaction on the row: the write is unknown, the session lives on, and nothing lands later.
     */
    @Test
    void aLockedRowIsUnknownAndNoLoss() throws Exception {
        RecordKey key = RecordKey.election("locked");
        try (StoreClient client = new StoreClient(open("postgres", "?schema=bare"));
                Connection operator = server.connect("postgres", "bare")) {
            Observation.Held led = client.lead(key);
            operator.setAutoCommit(false);
            Jdbc.run(operator, "SELECT * FROM mandate_election FOR UPDATE");

            long session = session(client);

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> StoreClient.answer(client.store().release(key, led, call())))
                    .withMessageContaining("another transaction holds a lock on the row");
            assertThat(StoreClient.answer(client.session().renew(call()))).isInstanceOf(SessionRenewal.Renewed.class);
            assertThat(session(client)).as("the connection").isEqualTo(session);
            operator.rollback();

            assertThat(client.readHeld(key).basis()).isEqualTo(led.basis());
        }
    }

    @Test
    void aCutConnectionIsOpenedAgainAndTheWatchSaysThatItMissedSomething() throws Exception {
        RecordKey key = RecordKey.election("cut");
        BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
        try (StoreClient client = new StoreClient(open("postgres", "?schema=bare"));
                StoreClient other = new StoreClient(open("postgres", "?schema=bare"));
                Subscription watch = client.store().watch(RecordKey.elections(), hints::add)) {
            assertThat(watch).isNotNull();
            while (hints.poll(100, TimeUnit.MILLISECONDS) == null) {
                client.release(client.lead(key));
            }
            Observation.Held led = client.lead(key);
            hints.clear();

            run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mandate'");

            Hint hint = hints.poll(20, TimeUnit.SECONDS);
            while (hint != null && hint != Hint.Gap.INSTANCE) {
                hint = hints.poll(20, TimeUnit.SECONDS);
            }
            assertThat(hint).isEqualTo(Hint.Gap.INSTANCE);
            SessionRenewal renewal = null;
            for (int i = 0; renewal == null; i++) {
                assertThat(i).isLessThan(100_000);
                try {
                    renewal = client.renew();
                } catch (StoreUnavailableException e) {
                    assertThat(e.getMessage()).contains("PostgreSQL localhost");
                }
            }
            assertThat(renewal).isInstanceOf(SessionRenewal.Renewed.class);
            assertThat(client.readHeld(key).basis()).isEqualTo(led.basis());
        }
    }

    /** The server stops answering in the middle: the call ends near its deadline, and so does closing. */
    @Test
    void aCallToAServerThatStandsStillEnds() throws Exception {
        try (StoreClient client = new StoreClient(open("postgres", "?schema=bare"));
                Connection operator = server.connect("postgres", "bare")) {
            operator.setAutoCommit(false);
            Jdbc.run(operator, "LOCK TABLE mandate_session IN ACCESS EXCLUSIVE MODE");
            long start = System.nanoTime();

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() ->
                            StoreClient.answer(client.session().renew(CallContext.within(Duration.ofMillis(200)))));

            assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(10));
            operator.rollback();
            SessionRenewal renewal = null;
            for (int i = 0; renewal == null && i < 100_000; i++) {
                try {
                    renewal = client.renew();
                } catch (StoreUnavailableException e) {
                    assertThat(e.getMessage()).contains("PostgreSQL localhost");
                }
            }
            assertThat(renewal).isInstanceOf(SessionRenewal.Renewed.class);
        }
    }
}
