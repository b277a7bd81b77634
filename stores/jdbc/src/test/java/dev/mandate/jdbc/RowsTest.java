package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.RecordJson;
import dev.mandate.testkit.StoreClient;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a row means: held by a living session, or vacant. */
class RowsTest {
    private static final Sql SQL = Sql.of(Dialect.SQLITE);
    private static final RecordKey KEY = RecordKey.election("e");
    private static final LeaderRecord RECORD = LeaderRecord.proposal(
            "somebody", StoreClient.id(), StoreClient.id(), "here", Duration.ofSeconds(10), 1_700_000_000_000L);

    private Connection database;

    @BeforeEach
    void open() throws SQLException {
        database = DriverManager.getConnection("jdbc:sqlite::memory:");
        Jdbc.run(database, SQL.create());
    }

    @AfterEach
    void close() throws SQLException {
        database.close();
    }

    private void session(String id, long version, int ended) throws SQLException {
        Jdbc.update(database, "INSERT INTO mandate_session VALUES (?, 60000, ?, ?)", id, version, ended);
    }

    private void row(String path, String session, String record) throws SQLException {
        Jdbc.update(database, "INSERT INTO mandate_election VALUES (?, 7, 42, ?, ?)", path, session, record);
    }

    private Observation read() throws SQLException {
        return Jdbc.first(database, SQL.read(), row -> Rows.observation(KEY, row), KEY.path())
                .orElseThrow();
    }

    @Test
    void whatALivingSessionKeepsIsHeld() throws Exception {
        session("s", 3, 0);
        row(KEY.path(), "s", RecordJson.write(RECORD));

        Observation.Held held = StoreClient.held(read());

        assertThat(held.key()).isEqualTo(KEY);
        assertThat(held.basis()).isEqualTo(new HeldAt(7, "s"));
        assertThat(held.liveness()).isEqualTo(new SessionAlive("s", 3));
        assertThat(held.term()).isEqualTo(42);
        assertThat(held.record()).isEqualTo(RECORD);
    }

    @Test
    void whatNobodyKeepsIsVacantAtItsVersion() throws Exception {
        row(KEY.path(), null, null);

        assertThat(read()).usingRecursiveComparison().isEqualTo(Rows.vacant(KEY, 7));
        assertThat(read().basis()).isEqualTo(new VacantAt(7, true));
    }

    @Test
    void whatAnEndedSessionKeptIsVacant() throws Exception {
        session("s", 3, 1);
        row(KEY.path(), "s", RecordJson.write(RECORD));

        assertThat(read()).usingRecursiveComparison().isEqualTo(Rows.vacant(KEY, 7));
    }

    @Test
    void whatAMissingSessionKeptIsVacant() throws Exception {
        session("another", 3, 0);
        row(KEY.path(), "s", RecordJson.write(RECORD));

        assertThat(read()).usingRecursiveComparison().isEqualTo(Rows.vacant(KEY, 7));
    }

    @Test
    void whatIsNoRecordIsForeignWithTheLeaseOfItsSession() throws Exception {
        session("s", 3, 0);
        row(KEY.path(), "s", "somebody else's".repeat(10));

        Observation.Held held = StoreClient.held(read());

        assertThat(held.isForeign()).isTrue();
        assertThat(held.basis()).isEqualTo(new HeldAt(7, "s"));
        assertThat(held.liveness()).isEqualTo(new SessionAlive("s", 3));
        assertThat(held.term()).isEqualTo(42);
        assertThat(held.lease()).contains(Duration.ofMinutes(1));
        assertThat(held.shown()).startsWith("somebody else's").hasSizeLessThan(100);
    }

    @Test
    void aRowWithoutARecordIsForeignAndSaysSo() throws Exception {
        session("s", 3, 0);
        row(KEY.path(), "s", null);

        assertThat(StoreClient.held(read()).isForeign()).isTrue();
        assertThat(StoreClient.held(read()).shown()).isEqualTo("no record");
    }

    @Test
    void aRowWhosePathIsNoKeyIsLeftOut() throws Exception {
        session("s", 3, 0);
        row("//", "s", RecordJson.write(RECORD));
        row(KEY.path(), "s", RecordJson.write(RECORD));

        List<Optional<Observation>> rows = Jdbc.query(database, Sql.SELECT + " ORDER BY e.path", Rows::observation);

        assertThat(rows).hasSize(2);
        assertThat(rows.get(0)).isEmpty();
        assertThat(rows.get(1)).map(Observation::key).contains(KEY);
    }
}
