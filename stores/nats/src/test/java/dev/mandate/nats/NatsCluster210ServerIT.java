package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Three servers, where the bucket's time to live is the lease. */
@Execution(ExecutionMode.CONCURRENT)
class NatsCluster210ServerIT extends NatsClusterConformance {
    private static final String BUCKET = NatsServer.bucket();

    @RegisterExtension
    static final NatsClusterExtension CLUSTER = new NatsClusterExtension(NatsServer.V210);

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
        return "?replicas=3&ttl=5s";
    }

    @Override
    protected Duration shortestLease() {
        return Duration.ofSeconds(5);
    }

    @Test
    void theBucketIsKeptByThree() {
        assertThat(String.valueOf(open().traits().assumptions())).doesNotContain("one server that keeps");
    }
}
