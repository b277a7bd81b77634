package dev.mandate.nats;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Where the bucket's time to live is the lease. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("nats cluster of 2.10 whose servers die")
class NatsClusterFaults210ServerIT extends NatsClusterFaults {
    private static NatsCluster cluster;

    @BeforeAll
    static void start() {
        cluster = NatsCluster.start(NatsServer.V210);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Override
    NatsCluster cluster() {
        return cluster;
    }
}
