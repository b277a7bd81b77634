package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Finding;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.StoreClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** What an SQLite file says of itself, and what is left of an election that goes. */
class SqliteDiagnosisTest {
    private static final RecordKey SCRATCH = RecordKey.election("scratch");

    @TempDir
    private Path directory;

    private JdbcElectionStore open() {
        return (JdbcElectionStore)
                new JdbcStoreProvider().open(StoreUrl.parse("sqlite:" + directory.resolve("mandate.db")));
    }

    private Connection operator() throws Exception {
        return DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("mandate.db"));
    }

    private static List<Finding> diagnosed(JdbcElectionStore store) {
        return StoreClient.answer(store.diagnose(Duration.ofSeconds(10), StoreClient.call()));
    }

    private long count(String table) throws Exception {
        try (Connection operator = operator()) {
            return Jdbc.first(operator, "SELECT count(*) FROM " + table, row -> row.getLong(1))
                    .orElseThrow();
        }
    }

    /** Acquired, released, its session ended, and removed. */
    private static void comeAndGo(JdbcElectionStore store) {
        StoreClient client = new StoreClient(store);
        Observation.Held held = client.lead(SCRATCH);
        assertThat(client.release(held)).isInstanceOf(WriteOutcome.Written.class);
        client.end();
        Observation.Vacant left = (Observation.Vacant) client.read(SCRATCH);
        assertThat(client.erase(left)).isInstanceOf(WriteOutcome.Written.class);
    }

    @Test
    void aFileSaysWhatItIs() {
        try (JdbcElectionStore store = open()) {
            assertThat(diagnosed(store))
                    .extracting(f -> f.severity() + " " + f.subject())
                    .contains("OK version", "OK durability", "OK file", "OK clock");
            assertThat(diagnosed(store)).anyMatch(f -> f.sentence().contains("journal mode wal"));
            assertThat(store.rightFor(Verb.ACQUIRE, SCRATCH)).isEmpty();
        }
    }

    /** Nobody else ever sees it. */
    @Test
    void aDatabaseInTheMemoryOfAProcessIsAnError() throws Exception {
        SQLiteDataSource memory = new SQLiteDataSource();
        memory.setUrl("jdbc:sqlite::memory:");
        try (Connection connection = memory.getConnection()) {
            assertThat(SqliteDiagnosis.of(connection))
                    .anyMatch(f -> f.severity() == Finding.Severity.ERROR
                            && f.sentence().contains("in the memory of this process"));
        }
    }

    @Test
    void whatIsErasedIsGoneAndNothingElse() throws Exception {
        try (JdbcElectionStore store = open()) {
            StoreClient other = new StoreClient(store);
            Observation.Held held = other.lead(RecordKey.election("kept"));

            comeAndGo(store);

            assertThat(count("mandate_election WHERE path LIKE 'election/%'")).isEqualTo(1);
            assertThat(count("mandate_session")).isEqualTo(1);
            assertThat(other.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Written.class);
        }
    }

    /** Somebody came between: what stands there now is not what was asked to go. */
    @Test
    void whatIsHeldIsNotErased() throws Exception {
        try (JdbcElectionStore store = open()) {
            StoreClient client = new StoreClient(store);
            Observation.Held held = client.lead(SCRATCH);
            assertThat(client.release(held)).isInstanceOf(WriteOutcome.Written.class);
            Observation.Vacant seen = (Observation.Vacant) client.read(SCRATCH);
            client.lead(SCRATCH);

            StoreClient.answer(store.erase(seen, StoreClient.call()));

            client.readHeld(SCRATCH);
        }
    }

    /**
     * The versions of a file count all its writes, and a watch remembers the highest one. Rows that went take theirs
     * with them, and the next writes get them again: those must not be taken for old.
     */
    @Test
    void changesAreToldAfterTheNewestRowWent() throws Exception {
        BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
        try (JdbcElectionStore store = open();
                JdbcElectionStore observer = open()) {
            StoreClient leader = new StoreClient(store);
            Observation.Held held = leader.lead(RecordKey.election("kept"));
            try (Subscription watch = observer.watch(RecordKey.elections(), hints::add)) {
                awaitHint(hints, () -> new StoreClient(store).lead(RecordKey.election("first-" + System.nanoTime())));
                comeAndGo(store);
                assertThat(watch).isNotNull();
                // Whatever is told of that is told now.
                while (hints.poll(500, TimeUnit.MILLISECONDS) != null) {}

                assertThat(leader.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Written.class);

                assertThat(hints.poll(30, TimeUnit.SECONDS)).isNotNull();
            }
        }
    }

    /** A watch begins some time after it was opened. */
    private static void awaitHint(BlockingQueue<Hint> hints, Runnable change) throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            change.run();
            if (hints.poll(300, TimeUnit.MILLISECONDS) != null) {
                return;
            }
        }
        throw new AssertionError("no hint");
    }
}
