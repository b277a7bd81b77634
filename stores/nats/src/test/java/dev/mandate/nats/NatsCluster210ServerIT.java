package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Three servers, where the bucket's time to live is the lease. */
@Execution(ExecutionMode.CONCURRENT)
class NatsCluster210ServerIT extends NatsClusterConformance {
    private static final String BUCKET = NatsServer.bucket();
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
