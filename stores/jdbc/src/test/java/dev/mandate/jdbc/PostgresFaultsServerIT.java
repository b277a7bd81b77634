package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Direction;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.StoreClient;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A network that fails in the middle: unknown is neither a win nor a loss, and everything ends in time. */
@ExtendWith(PostgresServer.class)
class PostgresFaultsServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private PostgresServer.Server server;
    private FaultProxy proxy;
    private StoreClient client;
    private StoreClient witness;
    private RecordKey key;

    @BeforeEach
    void connect(PostgresServer.Server running) throws Exception {
        server = running;
        proxy = FaultProxy.to("localhost", running.port());
        client = new StoreClient(open(proxy.port()));
        witness = new StoreClient(open(running.port()));
        key = SqlFixture.key("faults");
    }

    private static JdbcElectionStore open(int port) {
        return (JdbcElectionStore)
                new JdbcStoreProvider().open(StoreUrl.parse("postgresql://postgres@localhost:" + port + "/postgres"));
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        witness.close();
        proxy.close();
    }

    @Test
    void anAcquireWhoseAnswerIsLostIsUnknownAndHasLanded() throws Exception {
        Observation vacant = client.read(key);
        var proposal = client.proposal("v");
        proxy.cutAfter(Direction.TO_CLIENT, 0);

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> StoreClient.answer(
                        client.store().acquire(key, vacant, proposal, client.session(), StoreClient.call())));

        Await.until("the lost acquire", PATIENCE, () -> witness.read(key) instanceof Observation.Held);
        assertThat(witness.readHeld(key).isAttempt(proposal.attempt())).isTrue();
        assertThat(client.readHeld(key).isAttempt(proposal.attempt())).isTrue();
    }

    /** The version moved without our knowing; the next renewal is sent on the version it finds. */
    @Test
    void aRenewalWhoseAnswerIsLostDoesNotLoseTheSession() throws Exception {
        long before = version();
        proxy.cutAfter(Direction.TO_CLIENT, 0);
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(client::renew);
        Await.until("the lost renewal", PATIENCE, () -> version() == before + 1);

        assertThat(client.renew()).isInstanceOf(SessionRenewal.Renewed.class);

        assertThat(version()).isEqualTo(before + 2);
    }

    private long version() throws Exception {
        try (Connection connection = server.connect()) {
            return Jdbc.first(
                            connection,
                            "SELECT version FROM mandate_session WHERE id = ?",
                            row -> row.getLong(1),
                            client.session().id())
                    .orElseThrow();
        }
    }

    @Test
    void callsEndWhenNothingGetsThroughAndWorkAgainAfterwards() throws Exception {
        Observation.Held led = client.lead(key);
        proxy.blackHole();
        long start = System.nanoTime();

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(
                        () -> StoreClient.answer(client.session().renew(CallContext.within(Duration.ofMillis(300)))));
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> StoreClient.answer(
                        client.store().release(key, led, CallContext.within(Duration.ofMillis(300)))));

        assertThat(System.nanoTime() - start).isLessThan(PATIENCE.toNanos());
        assertThat(witness.readHeld(key).basis()).isEqualTo(led.basis());
        proxy.pass();
        Await.until("the renewal after the fault", PATIENCE, () -> isRenewed());
        assertThat(client.readHeld(key).basis()).isEqualTo(led.basis());
    }

    private boolean isRenewed() {
        try {
            return client.renew() instanceof SessionRenewal.Renewed;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @Test
    void aServerThatIsDownIsNotAskedAllTheTimeAndFoundAgain() throws Exception {
        proxy.refuse();
        proxy.reset();
        int before = proxy.accepted();
        int failures = 0;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500);
        while (System.nanoTime() < end) {
            failures += isRenewed() ? 0 : 1;
        }

        assertThat(failures).isGreaterThan(10);
        proxy.pass();
        Await.until("the renewal after the fault", PATIENCE, this::isRenewed);
        assertThat(proxy.accepted() - before).isEqualTo(1);
    }

    @Test
    void closingDoesNotWaitForAServerThatIsSilent() throws Exception {
        client.store().watch(RecordKey.elections(), hint -> {});
        proxy.blackHole();
        var hanging = client.session().renew(CallContext.within(Duration.ofMinutes(5)));
        long start = System.nanoTime();

        client.store().close();

        assertThat(System.nanoTime() - start).isLessThan(PATIENCE.toNanos());
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> StoreClient.answer(hanging));
    }
}
