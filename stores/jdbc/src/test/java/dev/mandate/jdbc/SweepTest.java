package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.StoreClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which sessions are swept, and when, by a clock that a test sets. */
class SweepTest {
    private static final Duration PAUSE = Duration.ofMinutes(10);

    @TempDir
    Path directory;

    private StoreClient own;
    private Connection operator;
    private Sweep sweep;
    private long nanos = Long.MAX_VALUE - 1_000;

    @BeforeEach
    void open() throws SQLException {
        String file = directory.resolve("mandate.db").toString();
        own = new StoreClient(JdbcElectionStore.open(new TrialDatabase(Path.of(file)), true));
        own.lead(RecordKey.election("kept"));
        operator = DriverManager.getConnection("jdbc:sqlite:" + file);
        sweep = new Sweep(Sql.of(Dialect.SQLITE), () -> nanos);
    }

    @AfterEach
    void close() throws SQLException {
        operator.close();
        own.close();
    }

    private void pass(Duration howLong) {
        nanos += howLong.toNanos();
    }

    private void step() {
        JdbcElectionStore store = (JdbcElectionStore) own.store();
        StoreClient.answer(store.worker().submit(Worker.Lane.ORDINARY, "sweeping", StoreClient.call(), turn -> {
            sweep.step(turn, own.session().id());
            return true;
        }));
    }

    private void session(String id, long leaseMillis, int ended) throws SQLException {
        Jdbc.update(operator, "INSERT INTO mandate_session VALUES (?, ?, 1, ?)", id, leaseMillis, ended);
    }

    private List<String> sessions() throws SQLException {
        return Jdbc.query(
                operator,
                "SELECT id FROM mandate_session WHERE id <> '" + own.session().id() + "' ORDER BY id",
                row -> row.getString(1));
    }

    @Test
    void itIsDueAtOnceThenEveryTenMinutesWhileNothingIsLeftBehind() {
        assertThat(sweep.isDue()).isTrue();
        step();

        assertThat(sweep.isDue()).isFalse();
        pass(PAUSE.minusNanos(1));
        assertThat(sweep.isDue()).isFalse();
        pass(Duration.ofNanos(1));
        assertThat(sweep.isDue()).isTrue();
    }

    @Test
    void whatHasEndedGoesAtTheNextSweepAndNotBefore() throws Exception {
        step();
        session("ended", 1_000, 1);

        step();
        assertThat(sessions()).containsExactly("ended");
        pass(PAUSE);
        step();
        assertThat(sessions()).isEmpty();
    }

    @Test
    void aSessionThatAnElectionNamesStays() throws Exception {
        session("named", 1_000, 1);
        session("named-too", 1_000, 0);
        for (String id : List.of("named", "named-too")) {
            Jdbc.update(operator, "INSERT INTO mandate_election VALUES (?, 1, 1, ?, NULL)", "election/" + id, id);
        }

        for (int i = 0; i < 5; i++) {
            step();
            pass(PAUSE);
        }

        assertThat(sessions()).containsExactly("named", "named-too");
    }

    /** It may belong to a client that lives: twice its lease must pass without a renewal, and a second. */
    @Test
    void aSessionThatNobodyRenewsIsEndedTwoOfItsLeasesAndASecondAfterTheLook() throws Exception {
        session("dead", 30_000, 0);
        step();

        pass(Duration.ofSeconds(61).minusNanos(1));
        assertThat(sweep.isDue()).isFalse();
        step();
        assertThat(sessions()).containsExactly("dead");
        pass(Duration.ofNanos(1));
        assertThat(sweep.isDue()).isTrue();
        step();

        assertThat(sessions()).isEmpty();
        assertThat(sweep.isDue()).isFalse();
        pass(PAUSE);
        assertThat(sweep.isDue()).isTrue();
    }

    @Test
    void aSessionThatWasRenewedMeanwhileStays() throws Exception {
        session("alive", 1_000, 0);
        step();
        Jdbc.run(operator, "UPDATE mandate_session SET version = version + 1 WHERE id = 'alive'");

        pass(Duration.ofSeconds(3));
        step();

        assertThat(sessions()).containsExactly("alive");
    }

    /** All wait for the longest lease among them, and none is judged by another one's. */
    @Test
    void theLongestLeaseOfALookSaysWhenTheSweepGoesOn() throws Exception {
        session("a-long", 60_000, 0);
        session("b-short", 1_000, 0);
        step();

        pass(Duration.ofSeconds(121).minusNanos(1));
        assertThat(sweep.isDue()).isFalse();
        pass(Duration.ofNanos(1));
        step();

        assertThat(sessions()).isEmpty();
    }

    @Test
    void noLeaseIsTakenToBeLongerThanADay() throws Exception {
        session("absurd", Long.MAX_VALUE, 0);
        step();

        pass(Duration.ofDays(2).plusSeconds(1));
        step();

        assertThat(sessions()).isEmpty();
    }

    @Test
    void theOwnSessionIsNeverEnded() throws Exception {
        StoreClient idle = new StoreClient(own.store(), Duration.ofSeconds(1));
        step();
        pass(Duration.ofHours(1));
        JdbcElectionStore store = (JdbcElectionStore) own.store();
        StoreClient.answer(store.worker().submit(Worker.Lane.ORDINARY, "sweeping", StoreClient.call(), turn -> {
            sweep.step(turn, idle.session().id());
            return true;
        }));

        assertThat(sessions()).containsExactly(idle.session().id());
    }

    /** A renewal that waits behind it must not wait long. */
    @Test
    void tenAtMostAreJudgedInOneStep() throws Exception {
        for (int i = 0; i < 25; i++) {
            session("dead-" + (100 + i), 1_000, 0);
        }
        step();
        pass(Duration.ofSeconds(3));

        step();
        assertThat(ended()).isEqualTo(10);
        step();
        assertThat(ended()).isEqualTo(20);
        step();

        assertThat(sessions()).isEmpty();
    }

    private long ended() throws SQLException {
        return Jdbc.first(operator, "SELECT count(*) FROM mandate_session WHERE ended <> 0", row -> row.getLong(1))
                .orElseThrow();
    }

    /**
     * The living that hold nothing must not hide the dead behind them: a look that was full is followed by the next one
     * at once.
     */
    @Test
    void afterAFullLookTheNextGoesOnWhereItEnded() throws Exception {
        Jdbc.run(operator, "BEGIN");
        for (int i = 0; i < Sweep.ROWS_MAX; i++) {
            session("!alive-" + (1_000 + i), 1_000, 0);
        }
        session("~dead", 1_000, 0);
        Jdbc.run(operator, "COMMIT");
        step();
        Jdbc.run(operator, "UPDATE mandate_session SET version = version + 1 WHERE id LIKE '!alive%'");
        pass(Duration.ofSeconds(3));
        for (int i = 0; i < Sweep.ROWS_MAX / 10; i++) {
            step();
        }

        assertThat(sweep.isDue()).isTrue();
        assertThat(sessions()).hasSize(Sweep.ROWS_MAX + 1);
        step();
        pass(Duration.ofSeconds(3));
        step();

        assertThat(sessions()).hasSize(Sweep.ROWS_MAX).doesNotContain("~dead");
        assertThat(sweep.isDue()).isFalse();
    }
}
