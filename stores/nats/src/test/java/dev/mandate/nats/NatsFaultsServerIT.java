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
import dev.mandate.testkit.FaultStorm;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Real candidates, while their server stands still and their bucket is operated on by hand. */
@Execution(ExecutionMode.CONCURRENT)
class NatsFaultsServerIT {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final RecordKey JOBS = RecordKey.election("jobs");

    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V215);

    private final String bucket = NatsServer.bucket();

    private static int port() {
        return NATS.server().port("client");
    }

    private String url(int port) {
        return NatsServer.url(port, bucket, "?ttl=6s&lease=" + LEASE.toSeconds() + "s");
    }

    private static ServerProcess own(String name) {
        return NatsServer.alone(ServerProcess.of(ServerBinary.named(name))).start();
    }

    @Test
    void aKeyDeletedOrPurgedByHandEndsTheTermAndTheNextOneIsLarger() throws Exception {
        try (Stand stand = new Stand(url(port()), url(port()));
                Operator operator = new Operator(port(), bucket)) {
            Leadership first = stand.awaitLeader();
            operator.delete(Stand.ELECTION);
            Leadership second = stand.awaitNext(first);
            stand.awaitLoss(first);
            operator.purge(Stand.ELECTION);
            stand.awaitNext(second);
            stand.awaitLoss(second);
            stand.forgive();
        }
    }

    @Test
    void aStrangersPutIsRespectedUntilItGoes() throws Exception {
        try (Stand stand = new Stand(url(port()), url(port()));
                Operator operator = new Operator(port(), bucket)) {
            Leadership first = stand.awaitLeader();
            operator.put(Stand.ELECTION, "stranger");
            stand.awaitLoss(first);
            // Without a time to live of its own it lives for that of the bucket.
            stand.awaitNext(first);
        }
    }

    @Test
    void aBucketDeletedByHandIsMadeAgainAndTheNextTermIsLarger() throws Exception {
        try (Stand stand = new Stand(url(port()), url(port()));
                Operator operator = new Operator(port(), bucket)) {
            Leadership first = stand.awaitLeader();
            operator.deleteBucket();
            stand.awaitLoss(first);
            stand.awaitNext(first);
        }
    }

    @Test
    void aServerThatStandsStillPastTheLeaseEndsTheTermAndSomebodyLeadsAfterwards() {
        try (ServerProcess server = own(NatsServer.V215);
                Stand stand = new Stand(url(server.port("client")), url(server.port("client")))) {
            Leadership first = stand.awaitLeader();
            server.freeze();
            stand.awaitLoss(first);
            Await.passing(LEASE.multipliedBy(2));
            assertThat(stand.leader()).isEmpty();
            server.thaw();
            stand.awaitNext(first);
            server.restart();
            stand.awaitLeader();
        }
    }

    /** What was sent to a server that stands still is unknown, and lands when it goes on; it never replaces what came before it. */
    @Test
    void aWriteThatTimedOutLandsLateAndOnlyOnItsBasis() {
        try (ServerProcess server = own(NatsServer.V210);
                StoreUser user = new StoreUser(
                        NatsServer.url(server.port("client"), bucket, "?ttl=30s"), Duration.ofSeconds(30))) {
            Observation vacant = user.read(JOBS);
            LeaderRecord late = user.proposal();
            server.freeze();
            var sent = user.send(JOBS, vacant, late, Duration.ofMillis(300));
            Await.until(
                    "the time-out", PATIENCE, () -> sent.toCompletableFuture().isCompletedExceptionally());
            server.thaw();
            Await.until(
                    "the record to land",
                    PATIENCE,
                    () -> user.connected(JOBS)
                            .filter(seen -> seen instanceof Observation.Held held && held.isAttempt(late.attempt()))
                            .isPresent());
            assertThat(user.acquire(JOBS, vacant)).isInstanceOf(WriteOutcome.Refused.class);
        }
    }

    @Test
    void aServerWithoutJetStreamIsSaid() {
        try (ServerProcess server = NatsServer.plain(ServerProcess.of(ServerBinary.named(NatsServer.V215)))
                .start()) {
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> StoreUser.open(url(server.port("client"))).close())
                    .withMessageContainingAll("no JetStream", "-js");
        }
    }

    @Test
    void twoNeverBelieveWhileNetworksFailAndOneLeadsAfterwards() throws Exception {
        FaultStorm.Outcome outcome = FaultStorm.around(
                        "127.0.0.1", port(), through -> ElectionClient.connect(url(through)))
                .rage("storm", Duration.ofSeconds(20), Duration.ofMinutes(1));

        System.out.println("fault storm on NATS: " + outcome);
        assertThat(outcome.terms()).as("terms; with one, nothing was tried").isGreaterThan(1);
    }
}
