package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Crowd;
import dev.mandate.testkit.ServerProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three members, of which some die or stand still. */
abstract class EtcdClusterScenarios {
    private static final String LEASE = "?lease=6s";
    /** Started for all tests of a class, which run one after the other. */
    abstract EtcdCluster cluster();

    @BeforeEach
    void mend() {
        for (ServerProcess member : cluster().members()) {
            member.thaw();
            if (!member.isAlive()) {
                member.restart();
            }
        }
        cluster().awaitAll();
    }

    private Crowd crowd() {
        return new Crowd(cluster().url(LEASE), cluster().url(LEASE), cluster().url(LEASE));
    }

    /** Whoever was connected to it goes on with another one. */
    @Test
    void aFollowerThatDiesEndsNoTerm() {
        try (Crowd crowd = crowd()) {
            Leadership first = crowd.awaitLeader();

            cluster().follower().kill();
            Await.passing(Duration.ofSeconds(10));

            assertThat(first.isValid()).isTrue();
        }
    }

    @Test
    void aFirstMemberThatStandsStillEndsNoTerm() {
        cluster().lead(cluster().members().get(1));
        firstStandsStill();
    }

    @Test
    void aFirstMemberThatLeadsTheClusterAndStandsStillEndsNoTerm() {
        cluster().lead(cluster().members().get(0));
        firstStandsStill();
    }

    /** All clients talk to the first one. Their leases leave time for an election of the cluster's own. */
    private void firstStandsStill() {
        String url = cluster().url("?lease=10s");
        try (Crowd crowd = new Crowd(url, url, url)) {
            Leadership term = crowd.awaitLeader();

            cluster().members().get(0).freeze();
            Await.passing(Duration.ofSeconds(12));

            assertThat(term.isValid()).isTrue();
        }
    }

    @Test
    void aLeaderOfTheClusterThatDiesLeavesOneCandidateLeading() {
        try (Crowd crowd = crowd()) {
            Leadership first = crowd.awaitLeader();

            cluster().leader().kill();

            crowd.awaitLeader();
            Await.passing(Duration.ofSeconds(10));
            assertThat(crowd.awaitLeader().fencingToken().value())
                    .isGreaterThanOrEqualTo(first.fencingToken().value());
        }
    }

    /** Without a majority nobody comes to lead, and every term ends by itself; then somebody leads again. */
    @Test
    void withoutAMajorityNobodyLeads() {
        try (Crowd crowd = crowd()) {
            Leadership first = crowd.awaitLeader();
            List<ServerProcess> members = cluster().members();

            members.get(0).kill();
            members.get(1).kill();
            crowd.awaitLoss(first, Duration.ofSeconds(10));
            Await.passing(Duration.ofSeconds(4));
            assertThat(crowd.leader()).isEmpty();
            members.get(0).restart();

            crowd.awaitNext(first);
        }
    }

    @Test
    void aWholeClusterThatRestartsHasOneLeaderAfterwards() {
        try (Crowd crowd = crowd()) {
            Leadership first = crowd.awaitLeader();

            cluster().members().forEach(ServerProcess::kill);
            crowd.awaitLoss(first, Duration.ofSeconds(10));
            cluster().members().forEach(ServerProcess::restart);

            crowd.awaitNext(first);
        }
    }
}
