package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Three servers, where each key has a time to live of its own. */
@Execution(ExecutionMode.CONCURRENT)
class NatsCluster215ServerIT extends NatsClusterConformance {
    private static final String BUCKET = NatsServer.bucket();

    @RegisterExtension
    static final NatsClusterExtension CLUSTER = new NatsClusterExtension(NatsServer.V215);

    @Override
    NatsCluster cluster() {
        return CLUSTER.cluster();
    }

    @Override
    String bucket() {
        return BUCKET;
    }

    @Override
    String parameters() {
        return "?replicas=3";
    }

    @Override
    protected Duration shortestLease() {
        return Duration.ofSeconds(2);
    }

    @Test
    void theBucketIsKeptByThree() {
        assertThat(String.valueOf(open().traits().assumptions())).doesNotContain("one server that keeps");
    }
}
