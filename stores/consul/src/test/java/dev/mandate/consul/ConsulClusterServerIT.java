package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Three servers, and what becomes of a term when their leader changes. */
@Execution(ExecutionMode.CONCURRENT)
class ConsulClusterServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String QUICK = "lease=10s&lock-delay=1s";

    /** Three servers that know each other. */
    private static final class Cluster implements AutoCloseable {
        private final List<ServerProcess> servers = new ArrayList<>();

        Cluster() {
            for (int i = 0; i < 3; i++) {
                ServerProcess.Builder next = ConsulServer.oneOfThree("n" + i);
                if (i > 0) {
                    next.arguments("-retry-join=127.0.0.1:" + servers.get(0).port("serf-lan"));
                }
                servers.add(next.start());
            }
            Await.until(
                    "a leader of three",
                    PATIENCE,
                    () -> ConsulServer.get(servers.get(2), "/v1/status/peers").split(",").length == 3 && leader() >= 0);
        }

        /** The number of the server that leads the others; -1 for none. */
        int leader() throws IOException, InterruptedException {
            for (ServerProcess server : servers) {
                if (server.isAlive()) {
                    String said = ConsulServer.get(server, "/v1/status/leader");
                    for (int i = 0; i < 3; i++) {
                        if (said.contains(":" + servers.get(i).port("server") + "\"")) {
                            return i;
                        }
                    }
                    return -1;
                }
            }
            return -1;
        }

        ElectionClient connect(int server) {
            return ElectionClient.connect(ConsulServer.url(servers.get(server).port("http"), QUICK));
        }

        @Override
        public void close() {
            servers.forEach(ServerProcess::close);
        }
    }

    @Test
    void aTermOutlivesTheDeathOfTheServersLeader() throws Exception {
        try (Cluster cluster = new Cluster()) {
            int leader = cluster.leader();
            try (ElectionClient client = cluster.connect((leader + 1) % 3);
                    ElectionClient other = cluster.connect((leader + 2) % 3)) {
                Leadership term = client.election("jobs").campaign("a");
                CompletableFuture<Leadership> waiting = CompletableFuture.supplyAsync(() -> campaign(other));

                cluster.servers.get(leader).kill();

                long killed = System.nanoTime();
                Await.until("another leader", PATIENCE, () -> cluster.leader() >= 0 && cluster.leader() != leader);
                while (System.nanoTime() - killed < TimeUnit.SECONDS.toNanos(15)) {
                    assertThat(term.isValid()).as("the term").isTrue();
                    assertThat(waiting).isNotDone();
                    Await.passing(Duration.ofMillis(20));
                }
                Await.until("a late renewal", PATIENCE, () -> term.remaining().toMillis() > 6_500);
                client.close();
                Leadership next = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(next.fencingToken().value())
                        .isGreaterThan(term.fencingToken().value());
            }
        }
    }

    /** The leader of the servers, and with it the agent of who leads, stands still and knows nothing of its successor. */
    @Test
    void aServerThatStandsStillLeavesItsClientWithoutATerm() throws Exception {
        try (Cluster cluster = new Cluster()) {
            int leader = cluster.leader();
            try (ElectionClient cutOff = cluster.connect(leader);
                    ElectionClient other = cluster.connect((leader + 1) % 3)) {
                Leadership term = cutOff.election("jobs").campaign("a");
                CompletableFuture<Leadership> waiting = CompletableFuture.supplyAsync(() -> campaign(other));

                cluster.servers.get(leader).freeze();
                Await.until("the end of the term", PATIENCE, () -> !term.isValid());
                assertThat(waiting).isNotDone();
                Leadership next = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                cluster.servers.get(leader).thaw();

                assertThat(next.fencingToken().value())
                        .isGreaterThan(term.fencingToken().value());
                long thawed = System.nanoTime();
                while (System.nanoTime() - thawed < TimeUnit.SECONDS.toNanos(5)) {
                    assertThat(term.isValid()).isFalse();
                    assertThat(next.isValid()).isTrue();
                    Await.passing(Duration.ofMillis(20));
                }
            }
        }
    }

    private static Leadership campaign(ElectionClient client) {
        try {
            return client.election("jobs").campaign("b");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
