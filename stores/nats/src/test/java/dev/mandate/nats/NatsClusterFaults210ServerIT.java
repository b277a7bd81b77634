package dev.mandate.nats;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Where the bucket's time to live is the lease. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("nats cluster of 2.10 whose servers die")
class NatsClusterFaults210ServerIT extends NatsClusterFaults {
    @RegisterExtension
    static final NatsClusterExtension CLUSTER = new NatsClusterExtension(NatsServer.V210);

    @Override
    NatsCluster cluster() {
        return CLUSTER.cluster();
    }
}
