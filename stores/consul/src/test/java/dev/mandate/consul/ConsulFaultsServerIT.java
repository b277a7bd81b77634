package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Direction;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A network that fails in the middle: unknown is neither a win nor a loss, and everything ends in time. */
class ConsulFaultsServerIT {
    @RegisterExtension
    static final ServerExtension CONSUL = ConsulServer.extension();

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);

    private FaultProxy proxy;
    private StoreClient client;
    private StoreClient witness;
    private RecordKey key;

    @BeforeEach
    void connect() throws Exception {
        int port = CONSUL.server().port("http");
        proxy = FaultProxy.to("127.0.0.1", port);
        client = new StoreClient(ConsulServer.open(proxy.port(), ""));
        witness = new StoreClient(ConsulServer.open(port, ""));
        key = RecordKey.election(
                "faults" + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36));
    }

    @AfterEach
    void close() throws Exception {
        proxy.pass();
        client.close();
        witness.close();
        proxy.close();
    }

    @Test
    void anAcquireWhoseAnswerIsLostIsUnknownAndHasLanded() {
        Observation vacant = client.read(key);
        var proposal = client.proposal("v");
        proxy.cutAfter(Direction.TO_CLIENT, 0);

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> StoreClient.answer(
                        client.store().acquire(key, vacant, proposal, client.session(), StoreClient.call())));

        Await.until("the lost acquire", PATIENCE, () -> witness.read(key) instanceof Observation.Held);
        assertThat(witness.readHeld(key).isAttempt(proposal.attempt())).isTrue();
        assertThat(client.readHeld(key).isAttempt(proposal.attempt())).isTrue();
        assertThat(proxy.accepted())
                .as("connections: a write is not sent again")
                .isLessThanOrEqualTo(4);
    }

    /** What is unknown may land late: after a later term of the same session it changes nothing. */
    @Test
    void anAcquireThatIsHeldUpLandsOnNothing() {
        Observation vacant = client.read(key);
        proxy.stall(Direction.TO_SERVER);
        var late = client.store().acquire(key, vacant, client.proposal("late"), client.session(), StoreClient.call());
        proxy.awaitHeld(Direction.TO_SERVER, PATIENCE);
        Observation.Held first = witness.lead(key);
        witness.release(first);
        Observation.Held second = witness.lead(key);

        pass();

        assertThat(StoreClient.answer(late)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(witness.readHeld(key).basis()).isEqualTo(second.basis());
    }

    private void pass() {
        try {
            proxy.pass();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Reading changes nothing, so it is asked once more where a kept connection turns out to be dead. */
    @Test
    void aReadOnADeadConnectionIsAskedAgain() {
        client.read(key);
        proxy.cutAfter(Direction.TO_CLIENT, 0);

        assertThat(client.read(key)).isInstanceOf(Observation.Vacant.class);

        proxy.awaitCuts(1, PATIENCE);
    }

    /** Whatever of the answer came: it counts whole or not at all. */
    @Test
    void anAnswerThatIsCutIsNone() {
        Observation.Held led = client.lead(key);
        for (int bytes = 1; bytes < 300; bytes += 40) {
            proxy.cutAfter(Direction.TO_CLIENT, bytes);

            assertThat(client.readHeld(key).basis()).isEqualTo(led.basis());
        }
    }

    @Test
    void callsEndWhenNothingGetsThroughAndWorkAgainAfterwards() {
        Observation.Held led = client.lead(key);
        proxy.blackHole();
        long start = System.nanoTime();

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> StoreClient.answer(client.session().renew(CallContext.within(SHORT))));
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> StoreClient.answer(client.store().release(key, led, CallContext.within(SHORT))));

        assertThat(System.nanoTime() - start).isLessThan(PATIENCE.toNanos());
        assertThat(witness.readHeld(key).basis()).isEqualTo(led.basis());
        pass();
        Await.until("the renewal after the fault", PATIENCE, this::isRenewed);
        assertThat(client.readHeld(key).basis()).isEqualTo(led.basis());
    }

    private boolean isRenewed() {
        try {
            return client.renew() instanceof SessionRenewal.Renewed;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    /** A watch that lost its connection tells what it missed once it is back, and asks seldom until then. */
    @Test
    void aWatchComesBackAndTellsWhatItMissed() throws Exception {
        client.read(key);
        Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        try (Subscription watch = client.store().watch(RecordKey.elections(), hints::add)) {
            assertThat(watch).isNotNull();
            Await.until("the first hint", PATIENCE, () -> !hints.isEmpty());
            hints.clear();
            proxy.refuse();
            proxy.reset();
            Observation.Held led = witness.lead(key);
            Await.passing(Duration.ofSeconds(2));
            assertThat(hints).isEmpty();

            proxy.pass();

            Await.until(
                    "the hint of what was missed",
                    PATIENCE,
                    () -> hints.stream()
                            .anyMatch(hint -> hint instanceof Hint.Seen seen
                                    && seen.observation().basis().equals(led.basis())));
        }
    }

    @Test
    void closingDoesNotWaitForAServerThatIsSilent() {
        client.store().watch(RecordKey.elections(), hint -> {});
        proxy.blackHole();
        var hanging = client.session().renew(CallContext.within(Duration.ofMinutes(5)));
        long start = System.nanoTime();

        client.store().close();

        assertThat(System.nanoTime() - start).isLessThan(PATIENCE.toNanos());
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> StoreClient.answer(hanging))
                .withMessageContaining("closed");
    }
}
