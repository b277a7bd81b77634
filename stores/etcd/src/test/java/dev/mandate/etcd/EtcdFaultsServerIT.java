package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.FaultProxy.Direction;
import dev.mandate.testkit.FaultStorm;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Real candidates, while their server is frozen, killed, emptied, cut off and operated on by hand. */
@ResourceLock(EtcdServer.PEACE)
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
    void aFrozenServerEndsATermAtItsDeadlineAndSomebodyLeadsAfterwards() {
        try (Crowd crowd = crowd()) {
            Leadership first = crowd.awaitLeader();

            ETCD.server().freeze();
            crowd.awaitLoss(first, Duration.ofSeconds(10));
            // Two leases: nobody comes to believe without a server.
            Await.passing(Duration.ofSeconds(6));
            assertThat(crowd.leader()).isEmpty();
            ETCD.server().thaw();

            crowd.awaitNext(first);
        }
    }

    @Test
    void aServerKilledAndRestartedWithItsDataHasOneLeader() {
        try (Crowd crowd = crowd()) {
            Leadership first = crowd.awaitLeader();

            ETCD.server().restart();

            Leadership later = crowd.awaitLeader();
            assertThat(later.fencingToken().value())
                    .isGreaterThanOrEqualTo(first.fencingToken().value());
        }
    }

    /** The tokens begin anew: nobody announces one that is no larger than what was seen. */
    @Test
    void aServerThatLostItsDataElectsNobodyWithAnOldToken() throws Exception {
        ServerProcess server = ETCD.server();
        try (Operator operator = new Operator(port())) {
            for (int i = 0; i < 200; i++) {
                operator.put("/grow", "x", 0);
            }
        }
        try (Crowd crowd = new Crowd(url())) {
            Leadership first = crowd.awaitLeader();

            server.restartWithoutData();

            crowd.awaitLoss(first, Duration.ofSeconds(10));
            Await.passing(Duration.ofSeconds(3));
            crowd.leader()
                    .ifPresent(term -> assertThat(term.fencingToken().value())
                            .isGreaterThan(first.fencingToken().value()));
        }
    }

    @Test
    void aLeaseRevokedByHandEndsTheTermAndTheNextOneIsLarger() {
        try (Crowd crowd = crowd().allowOverlap();
                Operator operator = new Operator(port())) {
            Leadership first = crowd.awaitLeader();
            long lease =
                    operator.get("/leaders/" + crowd.election()).orElseThrow().getLease();

            operator.revoke(lease);

            crowd.awaitNext(first);
            crowd.awaitLoss(first, Duration.ofSeconds(10));
        }
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

    @Test
    void refusedConnectionsEndATermAndTheSameCandidateLeadsAgain() throws Exception {
        try (FaultProxy network = FaultProxy.to("127.0.0.1", port());
                Crowd crowd = new Crowd(EtcdServer.url(network.port()) + LEASE)) {
            Leadership first = crowd.awaitLeader();

            network.refuse();
            network.reset();
            crowd.awaitLoss(first, Duration.ofSeconds(10));
            Await.passing(Duration.ofSeconds(4));
            network.pass();

            crowd.awaitNext(first);
        }
    }

    @Test
    void answersThatVanishEndATermAndOthersLead() throws Exception {
        try (FaultProxy network = FaultProxy.to("127.0.0.1", port());
                Crowd crowd = new Crowd(EtcdServer.url(network.port()) + LEASE)) {
            Leadership first = crowd.awaitLeader();

            network.blackHole(Direction.TO_CLIENT);
            crowd.awaitLoss(first, Duration.ofSeconds(10));
            network.pass();

            crowd.awaitNext(first);
        }
    }

    /** A network slower than any answer may take: the term ends, and is won again when answers come in time. */
    @Test
    void latencyOfNearlyALeaseEndsATermAndTheSameCandidateLeadsAgain() throws Exception {
        try (FaultProxy network = FaultProxy.to("127.0.0.1", port());
                Crowd crowd = new Crowd(EtcdServer.url(network.port()) + LEASE)) {
            Leadership first = crowd.awaitLeader();

            network.delay(Duration.ofMillis(2_700));
            crowd.awaitLoss(first, Duration.ofSeconds(10));
            network.pass();

            crowd.awaitNext(first);
        }
    }

    /**
     * An acquire that nobody waits for any more arrives after a later term, under a session that lives on: its client finds it and
     * takes it back, although it has withdrawn.
     */
    @Test
    void aLateAcquireOfAWithdrawnCandidateIsTakenBack() throws Exception {
        String contested = Client.key("contested").name();
        try (FaultProxy network = FaultProxy.to("127.0.0.1", port());
                ElectionClient late = ElectionClient.connect(EtcdServer.url(network.port()) + "?lease=10s");
                ElectionClient other = ElectionClient.connect(url());
                Leadership kept = late.election(Client.key("kept").name()).campaign("kept")) {
            network.stall(Direction.TO_SERVER);
            CompletableFuture<Leadership> campaign =
                    late.election(contested).campaignAsync("late").toCompletableFuture();
            network.awaitHeld(Direction.TO_SERVER, PATIENCE);
            campaign.cancel(true);
            try (Leadership between = other.election(contested).campaign("between")) {
                assertThat(between.isValid()).isTrue();
            }
            network.pass();

            try (Client reader = new Client(EtcdServer.url(port()))) {
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
                .rage(Client.key("storm").name(), Duration.ofSeconds(20), Duration.ofMinutes(1));

        System.out.println("fault storm on etcd: " + outcome);
        assertThat(outcome.terms()).as("terms; with one, nothing was tried").isGreaterThan(1);
    }
}
