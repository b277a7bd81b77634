package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Crowd;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Candidates of three servers, of which some die or stand still: in one test at a time. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("nats cluster whose servers die")
class NatsClusterFaultsServerIT {
    @RegisterExtension
    static final NatsClusterExtension CLUSTER = new NatsClusterExtension(NatsServer.V215);

    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String bucket = NatsServer.bucket();

    @BeforeEach
    void mend() {
        CLUSTER.cluster().mend();
    }

    private Crowd crowd() {
        String url = CLUSTER.cluster().url(bucket, "?replicas=3&connectTimeout=60s&lease=" + LEASE.toSeconds() + "s");
        return new Crowd(url, url, url);
    }

    @Test
    void aServerThatDiesLeavesOneCandidateLeading() {
        try (Crowd crowd = crowd()) {
            long first = crowd.awaitLeader().fencingToken().value();
            CLUSTER.cluster().leader(bucket).kill();
            Await.passing(LEASE.multipliedBy(2));
            assertThat(crowd.awaitLeader().fencingToken().value()).isGreaterThanOrEqualTo(first);
        }
    }

    /**
     * Its kernel goes on accepting connections. Clients take the first server, or another one where that is slow to
     * answer.
     */
    @Test
    void theServerOfMostClientsStandsStill() throws Exception {
        try (Crowd crowd = crowd()) {
            Leadership first = crowd.awaitLeader();
            List<ServerProcess> servers = new ArrayList<>(CLUSTER.cluster().servers());
            servers.sort(
                    Comparator.comparing(NatsClusterFaultsServerIT::clients).reversed());
            assertThat(clients(servers.get(0)))
                    .as("clients on the server that is to stand still")
                    .isPositive();

            servers.get(0).freeze();
            Await.until(
                    "all clients to be on the other servers",
                    PATIENCE,
                    () -> clients(servers.get(1)) + clients(servers.get(2)) == 3);
            Leadership next = crowd.awaitLeader();
            assertThat(next == first
                            || next.fencingToken().value()
                                    > first.fencingToken().value())
                    .isTrue();
        }
    }

    private static int clients(ServerProcess server) {
        try {
            return NatsCluster.stores(server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without a majority nobody comes to lead, and every term ends by itself; then somebody leads again. */
    @Test
    void withoutAMajorityNobodyLeads() {
        try (Crowd crowd = crowd()) {
            var first = crowd.awaitLeader();
            List<ServerProcess> servers = CLUSTER.cluster().servers();
            servers.get(0).kill();
            servers.get(1).kill();
            crowd.awaitLoss(first, PATIENCE);
            Await.passing(LEASE.multipliedBy(2));
            assertThat(crowd.leader()).isEmpty();
            CLUSTER.cluster().mend();
            assertThat(crowd.awaitLeader().fencingToken().value())
                    .isGreaterThan(first.fencingToken().value());
        }
    }

    /** As on a cluster whose servers have not all joined yet: it may pass, so that a candidate waits for it. */
    @Test
    void moreReplicasThanServersAreWaitedFor() {
        try (ElectionStore store = NatsServer.open(CLUSTER.cluster().url(bucket, "?replicas=5"))) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> StoreClient.answer(store.read(RecordKey.PROBE, StoreClient.call())))
                    .withMessageContainingAll("no suitable peers", "fewer than the replicas", "joined");
        }
    }

    @Test
    void replicasOnServersThatMixThemUpAreRefused() throws Exception {
        try (NatsCluster old = NatsCluster.start(NatsServer.V29)) {
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() ->
                            NatsServer.open(old.url(bucket, "?replicas=3")).close())
                    .withMessageContainingAll("3 replicas", "2.9", "2.10.27");
        }
    }
}
