package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.StoreClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGSimpleDataSource;

/** {@link SqlScenarios} on a real PostgreSQL. */
@ExtendWith(PostgresServer.class)
class PostgresStoreServerIT extends SqlScenarios {
    private PostgresServer.Server server;

    @BeforeEach
    void remember(PostgresServer.Server running) throws SQLException {
        server = running;
        open().close();
        run("DELETE FROM mandate_election", "DELETE FROM mandate_session");
    }

    @Override
    JdbcElectionStore open() {
        return (JdbcElectionStore) new JdbcStoreProvider()
                .open(StoreUrl.parse("postgresql://postgres@localhost:" + server.port() + "/postgres"));
    }

    @Override
    Connection operator() throws SQLException {
        return server.connect();
    }

    @Override
    Dialect dialect() {
        return Dialect.POSTGRESQL;
    }

    /** As the server counts them. */
    @Override
    Counted counted() {
        String name = "counted-" + StoreClient.id();
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://localhost:" + server.port() + "/postgres?user=postgres");
        source.setApplicationName(name);
        return new Counted() {
            @Override
            public DataSource source() {
                return source;
            }

            @Override
            public long connections() throws SQLException {
                return number("SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + name + "'");
            }
        };
    }

    @Override
    StoreClient breakable() {
        return counting(counted());
    }

    @Override
    void cut() throws SQLException {
        run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'counted-%'");
    }

    @Override
    String tellAnything() {
        return "SELECT pg_notify(" + Sql.CHANNEL + ", '')";
    }

    /**
     * An acquire that was sent before the key was ever held arrives in the midst of an erase: it waits for that, and is
     * refused. Else it would only see that the row is going, wait for that, and take its place.
     */
    @Test
    void aFirstWriteThatOverlapsAnEraseIsRefused() throws Exception {
        StoreClient client = client();
        StoreClient late = client();
        RecordKey key =
                new RecordKey(RecordKey.REGISTRATIONS, List.of(key("overlapped").name(), "member"));
        Observation never = late.read(key);
        client.release(client.lead(key));
        VacantAt left = (VacantAt) client.read(key).basis();
        try (Connection erasing = operator()) {
            erasing.setAutoCommit(false);
            Bounded bounded = Bounded.plain(erasing);
            Sql sql = Sql.of(Dialect.POSTGRESQL);
            Jdbc.update(bounded, sql.raise(), left.version(), key.path(), Mark.path(key), key.path(), left.version());
            Jdbc.update(bounded, sql.erase(), key.path(), left.version());

            CompletionStage<WriteOutcome> sent = late.send(key, never, late.proposal("late"), Duration.ofSeconds(20));
            Await.until(
                    "the acquire to wait",
                    Duration.ofSeconds(20),
                    () -> number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") > 0);
            erasing.commit();

            assertThat(StoreClient.refused(StoreClient.answer(sent)).basis())
                    .isEqualTo(new VacantAt(left.version(), false));
        }
        late.lead(key);
    }

    /** By whoever reads the notification later than that. */
    @Test
    void aKeyWhoseRowIsGoneIsToldAsVacant() throws Exception {
        StoreClient writer = client();
        StoreClient watcher = client();
        RecordKey key = new RecordKey(RecordKey.REGISTRATIONS, List.of("web", "erased"));
        BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
        try (Subscription watch = watcher.store().watch(key, hints::add)) {
            assertThat(watch).isNotNull();
            assertThat(hints.poll(30, TimeUnit.SECONDS)).isEqualTo(Hint.Gap.INSTANCE);
            writer.lead(key);
            assertThat(hints.poll(30, TimeUnit.SECONDS)).isInstanceOf(Hint.Seen.class);

            run(
                    "BEGIN",
                    "DELETE FROM mandate_election WHERE path = '" + key.path() + "'",
                    "SELECT pg_notify(" + Sql.CHANNEL + ", '" + key.path() + "')",
                    "SELECT pg_notify(" + Sql.CHANNEL + ", 'registration/web/erased/%')",
                    "COMMIT");

            assertThat(hints.poll(30, TimeUnit.SECONDS)).isInstanceOfSatisfying(Hint.Seen.class, hint -> {
                assertThat(hint.observation()).isInstanceOf(Observation.Vacant.class);
                assertThat(hint.observation().key()).isEqualTo(key);
                assertThat(hint.observation().basis())
                        .isEqualTo(watcher.read(key).basis());
            });
        }
    }

    /** Whatever happens where nobody listens, and however much, is neither read nor a gap. */
    @Test
    void whatNobodyWatchesIsNotLookedAt() throws Exception {
        StoreClient writer = client();
        StoreClient watcher = client();
        BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
        try (Subscription watch = watcher.store().watch(RecordKey.elections(), hints::add)) {
            assertThat(watch).isNotNull();
            assertThat(hints.poll(30, TimeUnit.SECONDS)).isEqualTo(Hint.Gap.INSTANCE);

            run("SELECT pg_notify(" + Sql.CHANNEL + ", 'registration/web/' || i) FROM generate_series(1, 2000) i");
            Observation.Held led = writer.lead(key("told"));

            assertThat(hints.poll(30, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            Hint.Seen.class,
                            hint -> assertThat(hint.observation().basis()).isEqualTo(led.basis()));
        }
    }
}
