package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.StoreClient;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** {@link SqlScenarios} on an SQLite file. */
class SqliteStoreTest extends SqlScenarios {
    @TempDir
    Path directory;

    @Override
    JdbcElectionStore open() {
        return (JdbcElectionStore)
                new JdbcStoreProvider().open(StoreUrl.parse("sqlite:" + directory.resolve("mandate.db")));
    }

    @Override
    Connection operator() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("mandate.db"));
    }

    @Override
    Dialect dialect() {
        return Dialect.SQLITE;
    }

    @Override
    Counted counted() {
        KeptConnections kept = new KeptConnections(file());
        return new Counted() {
            @Override
            public DataSource source() {
                return kept;
            }

            @Override
            public long connections() {
                return kept.open();
            }
        };
    }

    private SQLiteDataSource file() {
        SQLiteDataSource file = new SQLiteDataSource();
        file.setUrl("jdbc:sqlite:" + directory.resolve("mandate.db"));
        return file;
    }

    @Override
    StoreClient breakable() throws Exception {
        return client();
    }

    /** Who made another file beside the open one broke them all. */
    @Override
    void cut() throws Exception {
        for (String suffix : List.of("", "-wal", "-shm")) {
            Files.deleteIfExists(directory.resolve("mandate.db" + suffix));
        }
        client();
    }

    @Test
    void aUsersConnectionGoesBackAsItCame() throws Exception {
        KeptConnections pool = new KeptConnections(file());
        BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();

        try (StoreClient client = new StoreClient(JdbcElectionStore.open(pool, Dialect.SQLITE))) {
            client.lead(key("pooled"));
            watchReady(client, hints).close();
        }

        assertThat(pool.returned()).hasSize(2);
        for (Connection connection : pool.returned()) {
            assertThat(Jdbc.query(connection, "PRAGMA busy_timeout", row -> row.getInt(1)))
                    .containsExactly(3000);
            assertThat(Jdbc.query(connection, "PRAGMA synchronous", row -> row.getInt(1)))
                    .containsExactly(2);
            connection.close();
        }
    }

    /** A connection that fails, and fails once more when it is given back, in the worst way. */
    @Test
    void anErrorWhileSomethingFailsStopsNothing() throws Exception {
        SQLiteDataSource file = new SQLiteDataSource();
        file.setUrl("jdbc:sqlite:" + directory.resolve("mandate.db"));
        AtomicInteger broken = new AtomicInteger();
        DataSource failing = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (source, asked, none) -> {
                    Connection real = file.getConnection();
                    return Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (proxy, method, arguments) -> {
                                if (method.getName().equals("prepareStatement") && broken.compareAndSet(1, 2)) {
                                    throw new SQLException("the connection is broken", "08006");
                                }
                                if (method.getName().equals("close") && broken.compareAndSet(2, 3)) {
                                    throw new NoClassDefFoundError("a class of the driver");
                                }
                                try {
                                    return method.invoke(real, arguments);
                                } catch (InvocationTargetException e) {
                                    throw e.getCause();
                                }
                            });
                });
        try (StoreClient client = new StoreClient(JdbcElectionStore.open(failing, Dialect.SQLITE))) {
            broken.set(1);
            assertThatThrownBy(() -> client.read(key("e"))).isInstanceOf(StoreUnavailableException.class);

            // The answer is not kept waiting for that.
            Await.until("the connection to be given back", Duration.ofSeconds(30), () -> broken.get() == 3);
            assertThat(client.read(key("e"))).isInstanceOf(Observation.Vacant.class);
        }
    }

    /** As a later version may add them. */
    @Test
    void additionalColumnsThatMayBeEmptyDoNoHarm() throws Exception {
        client();
        run("ALTER TABLE mandate_session ADD COLUMN later TEXT", "ALTER TABLE mandate_election ADD COLUMN later TEXT");
        StoreClient holder = client();
        StoreClient challenger = client();
        RecordKey key = key("later");

        Observation.Held led = holder.lead(key);
        holder.renew();
        Observation.Held taken = StoreClient.written(challenger.acquire(key, challenger.readHeld(key)));
        challenger.release(taken);

        assertThat(taken.term()).isGreaterThan(led.term());
        assertThat(challenger.read(key)).isInstanceOf(Observation.Vacant.class);
    }

    /** The versions of a file count all its writes: they go on counting where the newest row went. */
    @Test
    void theNextVersionOfAFileIsLargerThanThatOfARowThatWent() throws Exception {
        StoreClient client = client();
        RecordKey kept = key("kept");
        Observation.Held held = client.lead(kept);
        RecordKey key = key("newest");
        client.release(client.lead(key));
        long newest = ((VacantAt) client.read(key).basis()).version();

        client.erase(key);

        Observation.Held now = StoreClient.written(client.update(held, Intent.PROCLAIM));
        assertThat(((HeldAt) now.basis()).version()).isGreaterThan(newest);
    }

    @Test
    void withoutFileEventsTheWatchLooksByItself() throws Exception {
        StoreClient holder = client();
        BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
        SqliteDatabase database = new SqliteDatabase(SqliteSource.file(directory.resolve("mandate.db"), false));
        SqliteWatch watch = new SqliteWatch(database, session -> false, false);
        watch.open(RecordKey.elections(), hints::add);
        assertThat(hints.poll(20, TimeUnit.SECONDS)).isEqualTo(Hint.Gap.INSTANCE);
        RecordKey key = key("polled");

        Hint hint = null;
        while (hint == null) {
            holder.release(holder.lead(key));
            hint = hints.poll(100, TimeUnit.MILLISECONDS);
        }
        watch.close();

        assertThat(hint).isInstanceOf(Hint.Seen.class);
    }

    /** Challengers learn of a sign of life without reading; the holder's own is no news to itself. */
    @Test
    void aRenewalIsToldToOthersOnly() throws Exception {
        StoreClient holder = client();
        StoreClient other = client();
        RecordKey key = key("renewed");
        BlockingQueue<Hint> holders = new LinkedBlockingQueue<>();
        BlockingQueue<Hint> others = new LinkedBlockingQueue<>();
        Observation.Held led = holder.lead(key);
        watchReady(holder, holders);
        watchReady(other, others);
        others.clear();

        Liveness liveness = led.liveness();
        while (liveness.equals(led.liveness())) {
            holder.renew();
            if (others.poll(100, TimeUnit.MILLISECONDS) instanceof Hint.Seen seen
                    && seen.observation() instanceof Observation.Held held
                    && held.key().equals(key)) {
                liveness = held.liveness();
            }
        }

        assertThat(holders)
                .noneMatch(hint -> hint instanceof Hint.Seen seen
                        && seen.observation() instanceof Observation.Held held
                        && held.key().equals(key)
                        && !held.liveness().equals(led.liveness()));
    }

    @Test
    void aWatchOfAFileThatWasReplacedGoesOnWithTheNewOneAndSaysSo() throws Exception {
        StoreClient watcher = client();
        BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
        watchReady(watcher, hints);
        for (String suffix : List.of("", "-wal", "-shm")) {
            Files.deleteIfExists(directory.resolve("mandate.db" + suffix));
        }
        StoreClient other = client();

        Hint hint = hints.poll(20, TimeUnit.SECONDS);
        while (hint instanceof Hint.Seen) {
            hint = hints.poll(20, TimeUnit.SECONDS);
        }
        assertThat(hint).isEqualTo(Hint.Gap.INSTANCE);
        RecordKey key = key("after");
        other.lead(key);
        assertThat(hints.poll(20, TimeUnit.SECONDS)).isInstanceOf(Hint.Seen.class);
    }
}
