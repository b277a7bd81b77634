package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.LossReason;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerProcess;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
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

    private static LossReason lost(Leadership term) throws Exception {
        return term.lost().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
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

    /** Longer than a lease: the leader stops in time by itself, and one leads again within the bound after the return. */
    @Test
    void aLongFreezeEndsTheTermInTimeAndOneLeadsAgain() throws Exception {
        try (ServerProcess consul = ConsulServer.durable().start();
                ElectionClient a = connect(consul, QUICK);
                ElectionClient b = connect(consul, QUICK)) {
            Leadership term = a.election("jobs").campaign("a");

            consul.freeze();
            LossReason reason = lost(term);
            term.close();
            assertThat(reason).isEqualTo(LossReason.LEASE_RAN_OUT);
            assertThat(term.isValid()).isFalse();
            Await.passing(Duration.ofSeconds(13));
            consul.thaw();
            long back = System.nanoTime();

            Leadership next = b.election("jobs").campaign("b", PATIENCE).orElseThrow();
            assertThat(term.isValid()).isFalse();
            assertThat(next.fencingToken().value())
                    .isGreaterThan(term.fencingToken().value());
            assertThat(System.nanoTime() - back)
                    .isLessThan(a.explain().recoveryAtMost().plusSeconds(5).toNanos());
        }
    }

    /** Sessions are in the data, and their time starts anew: a term goes on over a quick restart. */
    @Test
    void aTermSurvivesAQuickRestartWithData() throws Exception {
        try (ServerProcess consul = ConsulServer.durable().start();
                Client client = new Client(ConsulServer.open(consul.port("http"), ""))) {
            Observation.Held held = client.lead(KEY);

            consul.kill();
            consul.restart();

            Await.until("the session after the restart", PATIENCE, () -> isRenewed(client));
            assertThat(client.readHeld(KEY).basis()).isEqualTo(held.basis());
            client.release(held);
            assertThat(client.lead(KEY).term()).isGreaterThan(held.term());
        }
    }

    /** Consul counts the lock-delay of a former session again after a restart, against the holder since, too: its updates go on. */
    @Test
    void aHolderCanWriteWhileAFormerLockDelayIsCountedAgain() throws Exception {
        try (ServerProcess consul = ConsulServer.durable().start();
                Client former = new Client(ConsulServer.open(consul.port("http"), "lock-delay=3s"));
                Client client = new Client(ConsulServer.open(consul.port("http"), ""))) {
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
            Observation.Held now = Client.written(client.update(held, Intent.PROCLAIM));
            assertThat(client.readHeld(KEY).basis()).isEqualTo(now.basis());
            assertThat(client.release(now)).isInstanceOf(WriteOutcome.Written.class);
        }
    }

    private static boolean isRenewed(Client client) {
        try {
            return client.renew() instanceof SessionRenewal.Renewed;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** All is gone, the index begins anew: the former leader finds out, and a newcomer leads. */
    @Test
    void aStoreThatLostItsDataIsFoundAgain() throws Exception {
        try (ServerProcess consul = ConsulServer.durable().start();
                ElectionClient a = connect(consul, QUICK)) {
            Leadership term = a.election("jobs").campaign("a");

            consul.restartWithoutData();

            assertThat(lost(term)).isIn(LossReason.SESSION_ENDED, LossReason.VANISHED, LossReason.LEASE_RAN_OUT);
            term.close();
            assertThat(term.isValid()).isFalse();
            // A newcomer: whoever saw larger tokens than are given now does not lead with them.
            try (ElectionClient b = connect(consul, QUICK)) {
                assertThat(b.election("jobs").campaign("again", PATIENCE)).isPresent();
            }
        }
    }

    /** Nobody leads while no connection is taken, and somebody does soon after. */
    @Test
    void aLongRefusalEndsTheTermAndOneLeadsAfterwards() throws Exception {
        try (ServerProcess consul = ConsulServer.durable().start();
                FaultProxy proxy = FaultProxy.to("127.0.0.1", consul.port("http"));
                ElectionClient client = ElectionClient.connect(ConsulServer.url(proxy.port(), QUICK))) {
            var candidacy = client.election("jobs").runWhileLeader("b", leadership -> new CountDownLatch(1).await());
            Await.until(
                    "the first term",
                    PATIENCE,
                    () -> client.election("jobs").standing().leading());
            proxy.refuse();
            proxy.reset();

            Await.passing(Duration.ofSeconds(15));

            assertThat(client.election("jobs").standing().leading()).isFalse();
            proxy.pass();
            Await.until(
                    "a leader after the return",
                    PATIENCE,
                    () -> client.election("jobs").standing().leading());
            candidacy.close();
        }
    }
}
