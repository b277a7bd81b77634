package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A server that freezes, dies and comes back, with its data and without, each test with one of its own. */
@Execution(ExecutionMode.CONCURRENT)
class ConsulRestartServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String QUICK = "lease=10s&lock-delay=1s";
    private static final RecordKey KEY = RecordKey.election("jobs");

    private static ElectionClient connect(ServerProcess consul, String parameters) {
        return ElectionClient.connect(ConsulServer.url(consul.port("http"), parameters));
    }

    private static EndReason lost(Leadership term) throws Exception {
        return term.ended().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Shorter than what is left of a lease: nobody notices. */
    @Test
    void aShortFreezeEndsNothing() throws Exception {
        try (ServerProcess consul = ConsulServer.durable().start();
                ElectionClient client = connect(consul, QUICK)) {
            Leadership term = client.election("jobs").campaign("a");

            consul.freeze();
            Await.passing(Duration.ofSeconds(3));
            consul.thaw();

            Await.until("a renewal after the freeze", PATIENCE, () -> {
                assertThat(term.isValid()).isTrue();
                return term.remaining().compareTo(Duration.ofMillis(6_500)) > 0;
            });
        }
    }

    /** Sessions are in the data, and their time starts anew: a term goes on over a quick restart. */
    @Test
    void aTermSurvivesAQuickRestartWithData() throws Exception {
        try (ServerProcess consul = ConsulServer.durable().start();
                StoreClient client = new StoreClient(ConsulServer.open(consul.port("http"), ""))) {
            Observation.Held held = client.lead(KEY);

            consul.kill();
            consul.restart();

            Await.until("the session after the restart", PATIENCE, () -> isRenewed(client));
            assertThat(client.readHeld(KEY).basis()).isEqualTo(held.basis());
            client.release(held);
            assertThat(client.lead(KEY).term()).isGreaterThan(held.term());
        }
    }

    /**
     * Consul counts the lock-delay of a former session again after a restart, against the holder since, too: its
     * updates go on.
     */
    @Test
    void aHolderCanWriteWhileAFormerLockDelayIsCountedAgain() throws Exception {
        try (ServerProcess consul = ConsulServer.durable().start();
                StoreClient former = new StoreClient(ConsulServer.open(consul.port("http"), "lock-delay=3s"));
                StoreClient client = new StoreClient(ConsulServer.open(consul.port("http"), ""))) {
            former.lead(KEY);
            former.end();
            Observation.Held held = Await.value(
                    "the election after the lock-delay",
                    PATIENCE,
                    () -> client.acquire(KEY, client.read(KEY)) instanceof WriteOutcome.Written written
                            ? Optional.of((Observation.Held) written.now())
                            : Optional.empty());

            consul.kill();
            consul.restart();

            Await.until("the session after the restart", PATIENCE, () -> isRenewed(client));
            Observation.Held now = StoreClient.written(client.update(held, Intent.PROCLAIM));
            assertThat(client.readHeld(KEY).basis()).isEqualTo(now.basis());
            assertThat(client.release(now)).isInstanceOf(WriteOutcome.Written.class);
        }
    }

    private static boolean isRenewed(StoreClient client) {
        try {
            return client.renew() instanceof SessionRenewal.Renewed;
        } catch (RuntimeException e) {
            return false;
        }
    }
}
