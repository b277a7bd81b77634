package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.FencingToken;
import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Hint;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.StoreClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections of pools that users bring: kept while no other one is to be had, and given back as they came. */
@ExtendWith(PostgresServer.class)
class PostgresPoolsServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** As long as calls of a client take with the default lease. */
    private static final Duration ANSWER =
            Duration.ofNanos(LeaseTiming.of(Duration.ofSeconds(10)).requestTimeoutNanos());

    private static final Duration MAX_AGE = Duration.ofMillis(100);

    private final List<DataSource> pools = new ArrayList<>();
    private PostgresServer.Server server;

    @BeforeEach
    void remember(PostgresServer.Server running) throws SQLException {
        server = running;
        try (Connection connection = server.connect()) {
            Jdbc.run(connection, "DROP SCHEMA IF EXISTS pooled CASCADE", "CREATE SCHEMA pooled");
        }
    }

    @AfterEach
    void closePools() throws SQLException {
        for (DataSource pool : pools) {
            Pools.close(pool);
        }
    }

    private DataSource pool(Pools kind, int connections, String... settings) {
        String url = "jdbc:postgresql://localhost:" + server.port() + "/postgres?user=postgres&currentSchema=pooled";
        DataSource pool = kind.open(url, connections, List.of(settings));
        pools.add(pool);
        return pool;
    }

    private static StoreClient open(DataSource pool) {
        return new StoreClient(JdbcElectionStore.open(new PostgresDatabase(PostgresSource.of(pool, MAX_AGE)), true));
    }

    private static SessionRenewal renew(StoreClient client) {
        return StoreClient.answer(client.session().renew(CallContext.within(ANSWER)));
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

    /** Somebody who waits for a connection, and has it for a moment. */
    private static Thread waiting(DataSource pool) {
        Thread thread = new Thread(() -> {
            try (Connection connection = pool.getConnection()) {
                connection.isValid(1);
                Await.passing(Duration.ofSeconds(1));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        Await.until(
                "the pool to be asked", PATIENCE, () -> thread.getState().name().endsWith("WAITING"));
        return thread;
    }

    /** A burst wants every connection, for longer than a lease: no renewal waits for the pool. */
    @ParameterizedTest
    @EnumSource(Pools.class)
    void aConnectionIsKeptWhileThePoolHasNoOther(Pools kind) throws Exception {
        DataSource pool = pool(kind, 2);
        Connection burst = pool.getConnection();
        try (StoreClient client = open(pool)) {
            long session = session(client);
            Thread more = waiting(pool);
            try (burst) {
                long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
                while (System.nanoTime() < until) {
                    assertThat(renew(client)).isInstanceOf(SessionRenewal.Renewed.class);
                    Await.passing(Duration.ofMillis(50));
                }
                assertThat(session(client)).isEqualTo(session);
                assertThat(more.isAlive()).as("still waiting").isTrue();
            }

            Await.until("another connection", PATIENCE, () -> {
                renew(client);
                return session(client) != session && !more.isAlive();
            });
        }
    }

    /** What is lost while the pool is empty is unknown within the call's time, and comes back by itself. */
    @ParameterizedTest
    @EnumSource(Pools.class)
    void aConnectionThatBreaksWhileThePoolIsEmptyIsWaitedForNoLongerThanACallTakes(Pools kind) throws Exception {
        DataSource pool = pool(kind, 2);
        try (StoreClient client = new StoreClient(JdbcElectionStore.open(pool, Dialect.POSTGRESQL))) {
            long session = session(client);
            List<Connection> burst = new CopyOnWriteArrayList<>(List.of(pool.getConnection()));
            try (Connection operator = server.connect()) {
                Thread more = new Thread(() -> {
                    try {
                        burst.add(pool.getConnection());
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                more.start();
                Await.until(
                        "the pool to be asked",
                        PATIENCE,
                        () -> more.getState().name().endsWith("WAITING"));
                Jdbc.query(operator, "SELECT pg_terminate_backend(" + session + ")", row -> 0);
                assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> renew(client));
                more.join();
                for (int i = 0; i < 3; i++) {
                    long sent = System.nanoTime();
                    assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> renew(client));
                    assertThat(System.nanoTime() - sent).isLessThan(TimeUnit.SECONDS.toNanos(10));
                }
                for (Connection connection : burst) {
                    connection.close();
                }
            }

            Await.until("a renewal", PATIENCE, () -> {
                try {
                    return renew(client) instanceof SessionRenewal.Renewed;
                } catch (StoreUnavailableException e) {
                    return false;
                }
            });
        }
    }

    /** Each connection by its server's process, with all that can be set on it. */
    private static SortedMap<Long, List<String>> settings(DataSource pool) throws SQLException {
        SortedMap<Long, List<String>> settings = new TreeMap<>();
        try (Connection one = pool.getConnection();
                Connection two = pool.getConnection()) {
            for (Connection connection : List.of(one, two)) {
                List<String> all = new ArrayList<>(
                        Jdbc.query(connection, "SELECT name || '=' || setting FROM pg_settings", r -> r.getString(1)));
                all.addAll(Jdbc.query(
                        connection, "SELECT 'listens ' || c FROM pg_listening_channels() c", row -> row.getString(1)));
                all.add("autocommit=" + connection.getAutoCommit());
                all.add("isolation=" + connection.getTransactionIsolation());
                all.add("network time-out=" + connection.getNetworkTimeout());
                settings.put(
                        Jdbc.first(connection, "SELECT pg_backend_pid()", row -> row.getLong(1))
                                .orElseThrow(),
                        all);
                if (!connection.getAutoCommit()) {
                    connection.commit();
                }
            }
        }
        return settings;
    }

    @ParameterizedTest
    @EnumSource(Pools.class)
    void aUsersConnectionGoesBackAsItCame(Pools kind) throws Exception {
        DataSource pool = pool(
                kind,
                2,
                "SET lock_timeout = '7s'",
                "SET statement_timeout = '8s'",
                "SET synchronous_commit = local",
                "SET default_transaction_isolation = 'serializable'",
                "SET application_name = 'theirs'",
                "LISTEN theirs");
        SortedMap<Long, List<String>> before = settings(pool);
        RecordKey key = RecordKey.election("pooled");
        BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();

        try (StoreClient client = new StoreClient(JdbcElectionStore.open(pool, Dialect.POSTGRESQL))) {
            client.store().watch(RecordKey.elections(), hints::add);
            while (hints.poll(100, TimeUnit.MILLISECONDS) == null) {
                client.release(client.lead(key));
            }
            client.renew();
        }

        assertThat(before)
                .hasSize(2)
                .values()
                .allSatisfy(settings -> assertThat(settings)
                        .contains(
                                "lock_timeout=7000",
                                "statement_timeout=8000",
                                "synchronous_commit=local",
                                "listens theirs")
                        .contains("default_transaction_isolation=serializable"));
        assertThat(settings(pool)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(Pools.class)
    void theTableOfTheFenceIsMadeThroughAPool(Pools kind) throws Exception {
        SqlFence fence = SqlFence.of(pool(kind, 1), "r").createTable().createTable();

        fence.advance(new FencingToken("invoices", 5));

        assertThat(fence.newest()).contains(new FencingToken("invoices", 5));
    }
}
