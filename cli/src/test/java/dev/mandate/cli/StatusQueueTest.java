package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.Order;
import dev.mandate.console.Called;
import dev.mandate.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code status} of an election whose candidates queue. */
class StatusQueueTest {
    @TempDir
    private Path temp;

    private final List<ElectionClient> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(ElectionClient::close);
    }

    private ElectionClient client(String candidate, Order order) {
        ElectionClient client = ElectionClient.builder(store())
                .candidate(candidate)
                .order(order)
                .lease(Duration.ofSeconds(30))
                .connect();
        open.add(client);
        return client;
    }

    private String store() {
        return "sqlite:" + temp.resolve("store.db");
    }

    private void queue(String candidate, int place) {
        ElectionClient client = client(candidate, Order.ARRIVAL);
        client.election("jobs").runWhileLeader("", leadership -> new CountDownLatch(1).await());
        Await.until(
                candidate + " to be in the queue",
                Duration.ofMinutes(1),
                () -> client.election("jobs").queue().size() == place);
    }

    private Called status(String... more) {
        List<String> args = new ArrayList<>(List.of("status"));
        args.addAll(List.of(more));
        return Called.with(Main.PROGRAM, Map.of("MANDATE_STORE", store()), args.toArray(String[]::new))
                .assertDone();
    }

    @Test
    void theQueueIsShownInItsOrder() throws Exception {
        try (Leadership led = client("first", Order.ARRIVAL).election("jobs").campaign("")) {
            queue("second", 1);
            queue("third", 2);

            Called shown = status("jobs");

            assertThat(led.isValid()).isTrue();
            assertThat(shown.out().lines().skip(2))
                    .satisfiesExactly(
                            line -> assertThat(line).isEqualTo("QUEUE of jobs, the next first"),
                            line -> assertThat(line).startsWith("1  second  since 2"),
                            line -> assertThat(line).startsWith("2  third  since 2"));
            assertThat(shown.err()).doesNotContain("order=arrival");
            assertThat(status("jobs", "--json").out())
                    .containsPattern("\"order\":\"arrival\".*\"queue\":\\[\\{\"candidate\":\"second\",\"incarnation\":"
                            + "\"[0-9a-f]{32}\",\"since\":\"2.*\\{\"candidate\":\"third\".*\"mixedOrders\":false");
            assertThat(status("--json").out()).doesNotContain("mixedOrders");
            assertThat(status().out()).doesNotContain("QUEUE");
            assertThat(status("job").out()).doesNotContain("QUEUE");
        }
    }

    @Test
    void aLeaderThatDidNotQueueIsSaid() throws Exception {
        try (Leadership led = client("first", Order.RACE).election("jobs").campaign("")) {
            // With nobody behind it, it passed nobody.
            assertThat(status("jobs", "--json").out()).contains("\"queue\":[],\"mixedOrders\":false");
            queue("second", 1);

            assertThat(status("jobs").err()).contains("the leader did not queue: give all candidates order=arrival");
            assertThat(status("jobs", "--json").out()).contains("\"mixedOrders\":true");
            assertThat(led.isValid()).isTrue();
        }
    }
}
