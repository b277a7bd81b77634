package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.StoreClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

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
    String tellAnything() {
        return "SELECT pg_notify(" + Sql.CHANNEL + ", '')";
    }

    /**
     * An acquire that was sent before the key was ever held arrives in the midst of an erase: it waits for that, and is refused. Else it would
     * only see that the row is going, wait for that, and take its place.
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
            Jdbc.update(bounded, Sql.ERASE, key.path(), left.version());

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
}
