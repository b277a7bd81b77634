package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.Crowd;
import dev.mandate.testkit.ServerProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Candidates of three servers, of which some die or stand still: in one test of a cluster at a time. */
abstract class NatsClusterFaults {
    static final Duration LEASE = Duration.ofSeconds(5);
    static final Duration PATIENCE = Duration.ofSeconds(60);

    final String bucket = NatsServer.bucket();

    abstract NatsCluster cluster();

    @BeforeEach
    void mend() {
        cluster().mend();
    }

    private Crowd crowd() {
        String url = cluster().url(bucket, "?replicas=3&startup=60s&lease=" + LEASE.toSeconds() + "s");
        return new Crowd(url, url, url);
    }

    @Test
    void aServerThatDiesLeavesOneCandidateLeading() {
        try (Crowd crowd = crowd()) {
            long first = crowd.awaitLeader().fencingToken().value();
            cluster().leader(bucket).kill();
            Await.passing(LEASE.multipliedBy(2));
            assertThat(crowd.awaitLeader().fencingToken().value()).isGreaterThanOrEqualTo(first);
        }
    }

    @Test
    void theServerOfAllClientsStandsStill() {
        try (Crowd crowd = crowd()) {
            long first = crowd.awaitLeader().fencingToken().value();
            cluster().servers().get(0).freeze();
            Await.passing(LEASE.multipliedBy(2));
            assertThat(crowd.awaitLeader().fencingToken().value()).isGreaterThanOrEqualTo(first);
        }
    }

    /** Without a majority nobody comes to lead, and every term ends by itself; then somebody leads again. */
    @Test
    void withoutAMajorityNobodyLeads() {
        try (Crowd crowd = crowd()) {
            var first = crowd.awaitLeader();
            List<ServerProcess> servers = cluster().servers();
            servers.get(0).kill();
            servers.get(1).kill();
            crowd.awaitLoss(first, PATIENCE);
            Await.passing(LEASE.multipliedBy(2));
            assertThat(crowd.leader()).isEmpty();
            cluster().mend();
            assertThat(crowd.awaitLeader().fencingToken().value())
                    .isGreaterThan(first.fencingToken().value());
        }
    }
}
