package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Crowd;
import dev.mandate.testkit.FaultStorm;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import dev.mandate.testkit.WrongServer;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Where each key has a time to live of its own; and what is the same for all servers. */
@Execution(ExecutionMode.CONCURRENT)
class NatsFaultsServerIT extends NatsFaults {
    private static final RecordKey JOBS = RecordKey.election("jobs");

    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V215);

    @Override
    ServerExtension nats() {
        return NATS;
    }

    @Override
    String version() {
        return NatsServer.V215;
    }

    @Override
    Duration ttl() {
        return Duration.ofSeconds(6);
    }

    /**
     * What was sent to a server that stands still is unknown, and lands when it goes on; it never replaces what came
     * before it.
     */
    @Test
    void aWriteThatTimedOutLandsLateAndOnlyOnItsBasis() {
        try (ServerProcess server = own(NatsServer.V210);
                StoreClient user = NatsServer.client(
                        NatsServer.url(server.port("client"), bucket, "?ttl=30s"), Duration.ofSeconds(30))) {
            Observation vacant = user.read(JOBS);
            LeaderRecord late = user.proposal("value");
            server.freeze();
            var sent = user.send(JOBS, vacant, late, Duration.ofMillis(300));
            Await.until(
                    "the time-out", PATIENCE, () -> sent.toCompletableFuture().isCompletedExceptionally());
            server.thaw();
            Await.until(
                    "the record to land",
                    PATIENCE,
                    () -> connected(user)
                            .filter(seen -> seen instanceof Observation.Held held && held.isAttempt(late.attempt()))
                            .isPresent());
            assertThat(user.acquire(JOBS, vacant)).isInstanceOf(WriteOutcome.Refused.class);
        }
    }

    private static Optional<Observation> connected(StoreClient user) {
        try {
            return Optional.of(user.read(JOBS));
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    /**
     * Two of its servers are silent all the time, and the third is away until tries to connect are as far apart as they
     * get.
     */
    @Test
    void theShortestLeaseRecoversBesideSilentServers() throws Exception {
        try (WrongServer one = WrongServer.greeting("");
                WrongServer other = WrongServer.greeting("");
                ServerProcess server = own(NatsServer.V215)) {
            String url = "nats://127.0.0.1:" + one.port() + ",127.0.0.1:" + other.port() + ",127.0.0.1:"
                    + server.port("client") + "/" + bucket + "?lease=1s";
            try (Crowd crowd = new Crowd(url, url)) {
                Leadership first = crowd.awaitLeader();
                server.kill();
                crowd.awaitLoss(first, PATIENCE);
                Await.passing(Duration.ofSeconds(6));
                server.restart();
                long backNanos = System.nanoTime();
                crowd.awaitNext(first);
                System.out.println("a lease of 1 s was led again after "
                        + Duration.ofNanos(System.nanoTime() - backNanos).toMillis() + " ms; the bound is "
                        + crowd.explain().recoveryAtMost().toMillis() + " ms");
            }
        }
    }

    @Test
    void aServerWithoutJetStreamIsSaid() {
        try (ServerProcess server = NatsServer.plain(ServerProcess.of(ServerBinary.named(NatsServer.V215)))
                .start()) {
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(
                            () -> NatsServer.open(url(server.port("client"))).close())
                    .withMessageContainingAll("no JetStream", "-js");
        }
    }

    @Test
    void twoNeverBelieveWhileNetworksFailAndOneLeadsAfterwards() throws Exception {
        FaultStorm.Outcome outcome = FaultStorm.around(
                        "127.0.0.1", port(), through -> ElectionClient.connect(url(through)))
                .resigningWithin(Duration.ofSeconds(5))
                .rage("storm", Duration.ofSeconds(20), Duration.ofMinutes(1));

        System.out.println("fault storm on NATS: " + outcome);
        assertThat(outcome.terms()).as("terms; with one, nothing was tried").isGreaterThan(1);
    }
}
