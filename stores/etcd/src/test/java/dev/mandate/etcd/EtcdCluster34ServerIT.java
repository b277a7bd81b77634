package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mandate.ElectionClient;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("etcd cluster of 3.4")
class EtcdCluster34ServerIT extends EtcdClusterScenarios {
    private static EtcdCluster cluster;

    @BeforeAll
    static void start() {
        cluster = EtcdCluster.start(EtcdServer.V34);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Override
    EtcdCluster cluster() {
        return cluster;
    }

    private static void assumeRevokesEarly() {
        assumeTrue(
                EtcdVersion.parse(cluster.members().get(0).version())
                        .orElseThrow()
                        .revokesEarly(),
                "this is the version in which it was mended");
    }

    /** In this version a leader of the cluster that stalls ends leases which its successor keeps. */
    @Test
    void aClusterThatEndsLiveLeasesIsRefusedUnlessThatIsAccepted() {
        String accepting = cluster.url("?lease=6s");
        assumeRevokesEarly();

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> EtcdServer.open(accepting.replace("&staleLeader=accept", "")))
                .withMessageContainingAll("etcd 3.4.", "revokes live leases", "3.4.31", "staleLeader=accept");
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> EtcdServer.open(
                        "etcd://127.0.0.1:" + cluster.members().get(0).port("client")))
                .withMessageContaining("staleLeader=accept");
        try (ElectionClient client = ElectionClient.connect(accepting)) {
            assertThat(client.explain().toString()).contains("staleLeader=accept");
        }
    }

    /**
     * The member of the moment is down when the first lease is opened; the others come to their turn within that call.
     */
    @Test
    void aClusterIsRefusedThoughTheMemberOfTheMomentIsDown() throws Exception {
        assumeRevokesEarly();
        List<ServerProcess> members = cluster.members();
        try (FaultProxy down = FaultProxy.to("127.0.0.1", members.get(0).port("client"))) {
            down.refuse();
            EtcdElectionStore store = new EtcdElectionStore(EtcdUrl.settings(StoreUrl.parse("etcd://127.0.0.1:"
                    + down.port() + ",127.0.0.1:" + members.get(1).port("client") + ",127.0.0.1:"
                    + members.get(2).port("client"))));

            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> StoreClient.answer(store.openSession(Duration.ofSeconds(10), StoreClient.call())))
                    .withMessageContaining("staleLeader=accept");
            store.close();
        }
    }
}
