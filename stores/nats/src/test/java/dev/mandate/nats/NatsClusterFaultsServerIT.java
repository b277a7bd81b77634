package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.StoreClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Where each key has a time to live of its own; and what is the same for all servers. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("nats cluster whose servers die")
class NatsClusterFaultsServerIT extends NatsClusterFaults {
    @RegisterExtension
    static final NatsClusterExtension CLUSTER = new NatsClusterExtension(NatsServer.V215);

    @Override
    NatsCluster cluster() {
        return CLUSTER.cluster();
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
