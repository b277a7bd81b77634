package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGSimpleDataSource;

/** {@link FenceScenarios} on a real PostgreSQL. */
@ExtendWith(PostgresServer.class)
class PostgresFenceServerIT extends FenceScenarios {
    private PostgresServer.Server server;

    @Override
    @BeforeEach
    void emptyTables() {
        // The server comes first, in the method below.
    }

    @BeforeEach
    void prepare(PostgresServer.Server running, TestInfo info) throws Exception {
        server = running;
        try (Connection connection = server.connect()) {
            Jdbc.run(connection, "DROP SCHEMA IF EXISTS fenced CASCADE", "CREATE SCHEMA fenced");
        }
        super.emptyTables();
    }

    @Override
    DataSource database() throws Exception {
        return source("");
    }

    private PGSimpleDataSource source(String options) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setServerNames(new String[] {"localhost"});
        dataSource.setPortNumbers(new int[] {server.port()});
        dataSource.setDatabaseName("postgres");
        dataSource.setUser("postgres");
        dataSource.setCurrentSchema("fenced");
        dataSource.setOptions(options);
        return dataSource;
    }

    @Override
    String numbered() {
        return "BIGSERIAL PRIMARY KEY";
    }

    /** A leader frozen inside a guarded transaction is thrown out, wakes up, and has written nothing. */
    @Test
    void aTransactionThatStandsStillIsThrownOutAndTheNewerOneGoesOn() throws Exception {
        SqlFence fence = SqlFence.of(database(), "r").withTimeouts(Duration.ofMillis(300), Duration.ofSeconds(20));
        fence.advance(token(5));
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<Integer> old = thread.submit(() -> fence.call(token(5), connection -> {
                book(connection, 5);
                inside.countDown();
                await(goOn);
                return book(connection, 5);
            }));
            inside.await();

            fence.advance(token(6));
            fence.run(token(6), connection -> book(connection, 6));
            goOn.countDown();

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(old::get)
                    .withCauseInstanceOf(SQLException.class);
        } finally {
            thread.shutdownNow();
        }
        assertThat(booked()).containsExactly(6L);
    }

    @Test
    void theTimeOutsEndWithTheTransaction() throws Exception {
        KeptConnections pool = new KeptConnections(database());
        SqlFence fence = SqlFence.of(pool, "r");
        fence.advance(token(5));

        fence.run(token(5), connection -> book(connection, 5));

        assertThat(pool.returned()).isNotEmpty();
        for (Connection connection : pool.returned()) {
            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(Jdbc.query(
                            connection,
                            "SELECT current_setting('lock_timeout') || current_setting('idle_in_transaction_session_timeout')",
                            row -> row.getString(1)))
                    .containsExactly("00");
            connection.close();
        }
    }

    /** What a server forgets in a crash, a deposed leader that outlives the crash may write again. */
    @Test
    void everyTokenWaitsForTheDisk() throws Exception {
        run(
                "CREATE TABLE commits (setting text)",
                "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                        + " INSERT INTO commits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$",
                "CREATE TRIGGER note AFTER UPDATE ON mandate_fence FOR EACH ROW EXECUTE FUNCTION note()");
        SqlFence fence = SqlFence.of(source("-c synchronous_commit=off"), "r");

        fence.advance(token(5));
        fence.run(token(6), connection -> book(connection, 6));
        fence.reset(token(9));

        try (Connection connection = database().getConnection()) {
            assertThat(Jdbc.query(connection, "SELECT setting FROM commits", row -> row.getString(1)))
                    .hasSize(3)
                    .containsOnly("on");
        }
    }

    @Test
    void whatWaitsForAStandbyGoesOnToDoSo() throws Exception {
        SqlFence fence = SqlFence.of(source("-c synchronous_commit=remote_apply"), "r");
        fence.advance(token(5));

        List<String> setting = fence.call(
                token(5), connection -> Jdbc.query(connection, "SHOW synchronous_commit", row -> row.getString(1)));

        assertThat(setting).containsExactly("remote_apply");
    }

    @Test
    void aTableThatMayNotBeMadeIsPrinted() throws Exception {
        run("DROP TABLE mandate_fence");
        PGSimpleDataSource nowhere = source("");
        nowhere.setCurrentSchema("no_such_schema");

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> SqlFence.of(nowhere, "r").createTable())
                .withMessageContaining("CREATE TABLE mandate_fence (resource VARCHAR(255)");
    }
}
