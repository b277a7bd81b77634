package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Crowd;
import dev.mandate.testkit.Direction;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.FaultStorm;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Real candidates, while their keys are changed by hand and their networks fail. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = EtcdServer.PEACE, mode = ResourceAccessMode.READ)
class EtcdFaultsServerIT {
    private static final String LEASE = "?lease=3s";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final ServerExtension ETCD = EtcdServer.shared(EtcdServer.V35);

    private static int port() {
        return ETCD.server().port("client");
    }

    private static String url() {
        return EtcdServer.url(port()) + LEASE;
    }

    private static Crowd crowd() {
        return new Crowd(url(), url(), url());
    }

    @Test
    void aKeyDeletedByHandEndsTheTermAndTheNextOneIsLarger() {
        try (Crowd crowd = crowd().allowOverlap();
                Operator operator = new Operator(port())) {
            Leadership first = crowd.awaitLeader();

            operator.delete("/leaders/" + crowd.election());

            crowd.awaitNext(first);
            crowd.awaitLoss(first, Duration.ofSeconds(10));
        }
    }

    @Test
    void aKeyOverwrittenByHandIsRespectedUntilItsLeaseEnds() {
        try (Crowd crowd = crowd();
                Operator operator = new Operator(port())) {
            Leadership first = crowd.awaitLeader();

            operator.put("/leaders/" + crowd.election(), "stranger", operator.grant(2));
            crowd.awaitLoss(first, Duration.ofSeconds(10));

            crowd.awaitNext(first);
        }
    }

    /**
     * An acquire that nobody waits for any more arrives after a later term, under a session that lives on: its client
     * finds it and takes it back, although it has withdrawn.
     */
    @Test
    void aLateAcquireOfAWithdrawnCandidateIsTakenBack() throws Exception {
        String contested = StoreClient.key("contested").name();
        try (FaultProxy network = FaultProxy.to("127.0.0.1", port());
                ElectionClient late = ElectionClient.connect(EtcdServer.url(network.port()) + "?lease=10s");
                ElectionClient other = ElectionClient.connect(url());
                Leadership kept = late.election(StoreClient.key("kept").name()).campaign("kept")) {
            network.stall(Direction.TO_SERVER);
            CompletableFuture<Leadership> campaign =
                    late.election(contested).campaignAsync("late").toCompletableFuture();
            network.awaitHeld(Direction.TO_SERVER, PATIENCE);
            campaign.cancel(true);
            try (Leadership between = other.election(contested).campaign("between")) {
                assertThat(between.isValid()).isTrue();
            }
            network.pass();

            try (StoreClient reader = EtcdServer.client(EtcdServer.url(port()))) {
                RecordKey key = RecordKey.election(contested);
                Await.until(
                        "the election to be vacant", PATIENCE, () -> reader.read(key) instanceof Observation.Vacant);
            }
            try (Leadership next = other.election(contested).campaign("next")) {
                assertThat(next.isValid()).isTrue();
            }
            assertThat(kept.isValid()).isTrue();
        }
    }

    @Test
    void twoNeverBelieveWhileNetworksFailAndOneLeadsAfterwards() throws Exception {
        FaultStorm.Outcome outcome = FaultStorm.around(
                        "127.0.0.1", port(), through -> ElectionClient.connect(EtcdServer.url(through) + "?lease=2s"))
                .resigningWithin(Duration.ofSeconds(5))
                .rage(StoreClient.key("storm").name(), Duration.ofSeconds(20), Duration.ofMinutes(1));

        System.out.println("fault storm on etcd: " + outcome);
        assertThat(outcome.terms()).as("terms; with one, nothing was tried").isGreaterThan(1);
    }
}
