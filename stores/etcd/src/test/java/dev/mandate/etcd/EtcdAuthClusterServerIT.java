package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Three members with users. Each forgets tokens that it has not seen for five seconds, and no leader means no new ones. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("etcd cluster with users")
class EtcdAuthClusterServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static EtcdCluster cluster;

    @BeforeAll
    static void start() {
        // They elect faster than usual: a lease of 6 s has 2.4 s left when the next renewal is due.
        cluster = EtcdCluster.start(
                EtcdServer.V35, "--auth-token-ttl", "5", "--heartbeat-interval", "50", "--election-timeout", "500");
        EtcdAuthScenarios.enable(cluster.members().get(0));
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void aLeaderOfTheClusterThatDiesEndsNoTerm() throws InterruptedException {
        diesUnderItsClient(true);
    }

    @Test
    void aFollowerThatDiesEndsNoTerm() throws InterruptedException {
        diesUnderItsClient(false);
    }

    private static Optional<ServerProcess> member(boolean leads) throws InterruptedException {
        for (ServerProcess member : cluster.members()) {
            if (EtcdServer.says(member, "etcd_server_is_leader " + (leads ? 1 : 0))
                    && EtcdServer.says(member, "etcd_server_has_leader 1")) {
                return Optional.of(member);
            }
        }
        return Optional.empty();
    }

    private static void diesUnderItsClient(boolean leads) throws InterruptedException {
        ServerProcess victim =
                Await.value(leads ? "the leader of the cluster" : "a follower", PATIENCE, () -> member(leads));
        String url = cluster.url(EtcdAuthScenarios.login("app"), cluster.from(victim), "?lease=6s");
        try (ElectionClient client = ElectionClient.connect(url);
                Leadership term =
                        client.election(StoreClient.key("guarded").name()).campaign("x")) {
            // Elsewhere tokens that nobody shows are forgotten by then.
            Await.passing(Duration.ofSeconds(8));

            victim.kill();
            Await.passing(Duration.ofSeconds(8));

            assertThat(term.isValid()).isTrue();
        } finally {
            victim.restart();
            for (ServerProcess member : cluster.members()) {
                Await.until(
                        member + " to know a leader",
                        PATIENCE,
                        () -> EtcdServer.says(member, "etcd_server_has_leader 1"));
            }
        }
    }
}
