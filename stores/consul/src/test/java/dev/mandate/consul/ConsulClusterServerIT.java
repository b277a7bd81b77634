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
    /** Long enough that three servers of a busy machine find another leader before a term has to be renewed. */
    private static final String LONG = "lease=30s&lock-delay=1s";

    private static final Duration LONG_STOP = Duration.ofMillis(21_950);

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

        ElectionClient connect(int server, String parameters) {
            return ElectionClient.connect(ConsulServer.url(servers.get(server).port("http"), parameters));
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
            try (ElectionClient client = cluster.connect((leader + 1) % 3, LONG);
                    ElectionClient other = cluster.connect((leader + 2) % 3, LONG)) {
                Leadership term = client.election("jobs").campaign("a");
                CompletableFuture<Leadership> waiting = CompletableFuture.supplyAsync(() -> campaign(other));

                cluster.servers.get(leader).kill();

                Await.until("another leader", PATIENCE, () -> cluster.leader() >= 0 && cluster.leader() != leader);
                long succeeded = System.nanoTime();
                Await.until("a renewal by the new leader", PATIENCE, () -> {
                    assertThat(term.isValid()).as("the term").isTrue();
                    assertThat(waiting).isNotDone();
                    return term.remaining().compareTo(LONG_STOP.minusNanos(System.nanoTime() - succeeded)) > 0;
                });
                // Else the session would have to end by itself, which each change of the servers' leader puts off.
                term.close();
                Leadership next = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(next.fencingToken().value())
                        .isGreaterThan(term.fencingToken().value());
            }
        }
    }

    /**
     * The leader of the servers, and with it the agent of who leads, stands still and knows nothing of its successor.
     */
    @Test
    void aServerThatStandsStillLeavesItsClientWithoutATerm() throws Exception {
        try (Cluster cluster = new Cluster()) {
            int leader = cluster.leader();
            try (ElectionClient cutOff = cluster.connect(leader, QUICK);
                    ElectionClient other = cluster.connect((leader + 1) % 3, QUICK)) {
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
