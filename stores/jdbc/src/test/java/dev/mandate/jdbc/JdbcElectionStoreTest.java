package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Basis;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.StoreClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a store decides by itself: on which basis it writes, what it says when it may not, and what it refuses to send.
 */
class JdbcElectionStoreTest {
    private static final RecordKey KEY = RecordKey.election("e");

    private record OtherStores(String what) implements Basis, Liveness {}

    @TempDir
    Path directory;

    private TrialDatabase database;
    private JdbcElectionStore store;
    private StoreClient client;

    @BeforeEach
    void open() {
        database = new TrialDatabase(directory.resolve("mandate.db"));
        store = JdbcElectionStore.open(database, true);
        client = new StoreClient(store);
    }

    @AfterEach
    void close() {
        database.onStatement = () -> {};
        database.fault = null;
        client.close();
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("mandate.db"))) {
            Jdbc.run(connection, sql);
        }
    }

    // ---- writing ----

    private static void assertSame(Observation seen, Observation expected) {
        assertThat(seen).usingRecursiveComparison().isEqualTo(expected);
    }

    @Test
    void whatIsWrittenIsWhatIsThenRead() {
        Observation.Held led = client.lead(KEY);
        assertSame(client.read(KEY), led);
        assertThat(led.basis()).isInstanceOf(HeldAt.class);

        Observation.Held updated = StoreClient.written(client.update(led, Intent.PROCLAIM));
        assertSame(client.read(KEY), updated);
        assertThat(updated.term()).isEqualTo(led.term());
        assertThat(updated.record().value()).isEqualTo(led.record().value() + "+");

        WriteOutcome released = client.release(updated);
        assertSame(((WriteOutcome.Written) released).now(), client.read(KEY));
        assertThat(client.read(KEY)).isInstanceOf(Observation.Vacant.class);
        Observation.Held again = client.lead(KEY);
        assertSame(client.read(KEY), again);
        assertThat(again.term()).isGreaterThan(led.term());
    }

    @Test
    void aRefusalShowsWhatStandsThere() {
        Observation vacant = client.read(KEY);
        Observation.Held led = client.lead(KEY);

        assertSame(StoreClient.refused(client.acquire(KEY, vacant)), led);
        Observation.Held now = StoreClient.written(client.update(led, Intent.PROCLAIM));
        assertSame(StoreClient.refused(client.update(led, Intent.PROCLAIM)), now);
        assertSame(StoreClient.refused(client.release(led)), now);
    }

    /** The write changed nothing and never will: that much is known though the look behind it fails. */
    @Test
    void aRefusalIsOneThoughNobodyCanSayWhatStandsThere() {
        Observation vacant = client.read(KEY);
        client.lead(KEY);
        for (Fault fault : List.of(Fault.passing("busy"), Fault.broken("reset"))) {
            AtomicInteger statements = new AtomicInteger();
            int opened = database.opened.size();
            database.fault = fault;
            database.onStatement = () -> {
                if (statements.incrementAndGet() == 2) {
                    throw new SQLException("the look fails");
                }
            };

            WriteOutcome outcome = client.acquire(KEY, vacant);

            assertThat(((WriteOutcome.Refused) outcome).now()).isEmpty();
            database.onStatement = () -> {};
            database.fault = null;
            client.read(KEY);
            assertThat(database.opened).hasSize(fault.kind() == Fault.Kind.BROKEN ? opened + 1 : opened);
        }
    }

    @Test
    void aRefusalIsOneThoughItsTimeIsOverBeforeTheLook() {
        Observation vacant = client.read(KEY);
        client.lead(KEY);
        AtomicInteger statements = new AtomicInteger();
        database.onStatement = () -> {
            if (statements.incrementAndGet() == 2) {
                throw new StoreUnavailableException("its time was over");
            }
        };

        assertThat(((WriteOutcome.Refused) client.acquire(KEY, vacant)).now()).isEmpty();
    }

    // ---- what is refused before anything is sent ----

    @Test
    void whatAnotherStoreSawIsNoBasisHere() {
        Observation.Held led = client.lead(KEY);
        Observation.Held foreignBasis =
                Observation.held(KEY, new OtherStores("basis"), led.liveness(), led.term(), led.record());
        Observation.Held foreignLiveness =
                Observation.held(KEY, led.basis(), new OtherStores("liveness"), led.term(), led.record());
        Observation.Vacant vacant = (Observation.Vacant) Observation.vacant(KEY, new OtherStores("vacant"));
        AtomicInteger statements = new AtomicInteger();
        database.onStatement = statements::incrementAndGet;

        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.release(foreignBasis))
                .withMessageContaining("an observation of another store");
        assertThatIllegalArgumentException().isThrownBy(() -> client.update(foreignBasis, Intent.PROCLAIM));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.acquire(KEY, foreignLiveness))
                .withMessageContaining("an observation of another store");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.acquire(KEY, vacant))
                .withMessageContaining("an observation of another store");
        assertThatIllegalArgumentException().isThrownBy(() -> store.erase(vacant, StoreClient.call()));
        assertThat(statements).hasValue(0);
    }

    @Test
    void aRecordHasNoLeaseOfItsOwnToRenew() {
        Observation.Held led = client.lead(KEY);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.renew(led))
                .withMessageContaining("the lease of election/e is kept by a session; renew that");
    }

    @Test
    void acquiringNeedsASession() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.acquire(KEY, client.read(KEY), client.proposal("v"), null, StoreClient.call()))
                .withMessageContaining("acquiring election/e needs a session that this store opened, not null");
    }

    /** 2,500 characters, as they are written: what is not ASCII takes several. */
    @Test
    void aKeyMayBeAsLongAsAPathMay() {
        RecordKey longest = longKey(2_500);

        client.lead(longest);

        assertThat(client.read(longest)).isInstanceOf(Observation.Held.class);
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> client.lead(longKey(2_501)))
                .withMessageContainingAll(
                        "the key 'registration/", "takes 2501 characters, and a SQL store takes 2500");
    }

    /** A key whose path has that many characters. */
    private static RecordKey longKey(int length) {
        String umlauts = "ä".repeat(207);
        RecordKey key = new RecordKey("registration", List.of(umlauts, umlauts + "x".repeat(length - 2_498)));
        assertThat(key.path()).hasSize(length);
        return key;
    }

    // ---- listing ----

    @Test
    void aListingIsPagedByTwoHundredRowsAndTheLastPageSaysSo() throws Exception {
        client.lead(new RecordKey("registration", List.of("s")));
        run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)"
                + " INSERT INTO mandate_election SELECT 'registration/s/' || (1000 + i), i, 1, NULL, NULL FROM n");
        RecordKey below = new RecordKey("registration", List.of("s"));

        Page<Observation> first = StoreClient.answer(store.list(below, Cursor.START, StoreClient.call()));
        Page<Observation> second =
                StoreClient.answer(store.list(below, first.next().orElseThrow(), StoreClient.call()));

        assertThat(first.items()).hasSize(201);
        assertThat(first.items().get(0).key()).isEqualTo(below);
        assertThat(second.items()).isEmpty();
        assertThat(second.next()).isEmpty();
        List<String> paths = new ArrayList<>();
        first.items().forEach(item -> paths.add(item.key().path()));
        assertThat(paths).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aWholeKindIsListedWithoutARowOfItsOwn() {
        client.lead(KEY);
        client.lead(new RecordKey("registration", List.of("s")));

        Page<Observation> page =
                StoreClient.answer(store.list(RecordKey.elections(), Cursor.START, StoreClient.call()));

        assertThat(page.items()).extracting(Observation::key).containsExactly(KEY);
        assertThat(page.next()).isEmpty();
    }

    // ---- the rest ----

    @Test
    void anErasedKeyStandsAtItsMark() throws Exception {
        client.release(client.lead(KEY));
        Observation.Vacant seen = StoreClient.vacant(client.read(KEY));
        client.release(client.lead(KEY));
        Observation.Vacant newer = StoreClient.vacant(client.read(KEY));

        assertSame(StoreClient.refused(client.erase(seen)), newer);
        assertSame(client.read(KEY), newer);
        Observation now = ((WriteOutcome.Written) client.erase(newer)).now();
        assertSame(client.read(KEY), now);
        assertThat(((VacantAt) now.basis()).hasRow()).isFalse();
        assertThat(version(now)).isGreaterThan(version(newer));
        assertSame(client.read(RecordKey.election("other")), Rows.none(RecordKey.election("other"), version(now)));
        RecordKey elsewhere = new RecordKey("registration", List.of("s", "1"));
        assertSame(client.read(elsewhere), Rows.none(elsewhere, 0));
    }

    private static long version(Observation vacant) {
        return ((VacantAt) vacant.basis()).version();
    }

    /** Whatever fails, it is not known whether the row is gone; what is known of it is not lost. */
    @Test
    void anEraseThatFailsHalfWayIsUnknown() {
        for (int failing = 1; failing <= 2; failing++) {
            client.release(client.lead(KEY));
            Observation.Vacant left = StoreClient.vacant(client.read(KEY));
            AtomicInteger statements = new AtomicInteger(-failing);
            database.onStatement = () -> {
                if (statements.incrementAndGet() == 0) {
                    throw new SQLException("the answer is lost");
                }
            };

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> client.erase(left))
                    .withMessageContaining("erasing election/e");

            database.onStatement = () -> {};
            assertSame(client.read(KEY), left);
            assertThat(client.erase(left)).isInstanceOf(WriteOutcome.Written.class);
            assertThat(version(client.read(KEY))).isGreaterThan(version(left));
        }
    }

    /** Nothing is written where nobody may delete. */
    @Test
    void aRightThatIsMissingIsAFaultOfTheSetup() {
        client.release(client.lead(KEY));
        database.fault = Fault.denied("no right to delete");
        database.onStatement = () -> {
            throw new SQLException("permission denied");
        };

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> client.erase(StoreClient.vacant(Rows.vacant(KEY, 1))))
                .matches(StoreSetupException::isDenied)
                .withMessageContaining("erasing election/e: no right to delete");
    }

    @Test
    void whatItSaysOfItselfIsWhatTheDatabaseSays() {
        assertThat(store.toString()).isEqualTo("trial");
        assertThat(store.traits()).isSameAs(database.traits());
        assertThat(store.rightFor(Verb.values()[0], KEY)).isEmpty();
        assertThat(StoreClient.answer(store.diagnose(java.time.Duration.ofSeconds(10), StoreClient.call())))
                .isNotEmpty();
    }

    @Test
    void aStoreThatCannotBeSetUpSaysWhyAndKeepsNoConnection() {
        TrialDatabase refusing = new TrialDatabase(directory.resolve("mandate.db"));
        refusing.onStatement = () -> {
            throw new SQLException("said", "", 13);
        };
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> JdbcElectionStore.open(refusing, true))
                .withMessage("trial: opening: the disk is full; make room");
        assertThat(refusing.opened).hasSize(1).allMatch(JdbcElectionStoreTest::isClosed);

        refusing.onStatement = () -> {
            throw new IllegalStateException("a mistake in the driver");
        };
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> JdbcElectionStore.open(refusing, true))
                .withMessageContaining("trial: opening: ")
                .withMessageContaining("a mistake in the driver");
    }

    private static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whoIsInterruptedWhileOpeningIsToldSoAndStaysInterrupted() {
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> JdbcElectionStore.open(new TrialDatabase(directory.resolve("x.db")), true))
                .withMessage("trial: interrupted while opening");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aClosedStoreOpensNoWatchAndClosesThoseItHas() throws Exception {
        BlockingQueue<Thread> telling = new LinkedBlockingQueue<>();
        Subscription first = store.watch(RecordKey.elections(), hint -> telling.add(Thread.currentThread()));
        store.watch(RecordKey.elections(), hint -> {});
        Thread thread = telling.poll(30, TimeUnit.SECONDS);
        assertThat(thread).isNotNull();

        store.close();
        first.close();

        thread.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(thread.isAlive()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> store.watch(RecordKey.elections(), hint -> {}))
                .withMessage("trial: the store is closed");
    }
}
