package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is asked for the watches of one store, and whom an answer is told. */
class PrefixWatchesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static RecordKey registration(String... segments) {
        return new RecordKey(RecordKey.REGISTRATIONS, List.of(segments));
    }

    private static Set<RecordKey> services(int count) {
        return new HashSet<>(IntStream.range(0, count)
                .mapToObj(i -> registration("service-" + i))
                .toList());
    }

    @Test
    void aPrefixBelowAnotherIsNotAskedForByItself() {
        assertThat(PrefixWatches.asked(Set.of(registration("web"), registration("web", "1"), registration("webapp"))))
                .containsExactlyInAnyOrder(registration("web"), registration("webapp"));
        assertThat(PrefixWatches.asked(Set.of(registration("web"), registration(), new RecordKey("queue", List.of()))))
                .containsExactlyInAnyOrder(registration(), new RecordKey("queue", List.of()));
    }

    @Test
    void manyPrefixesOfASpaceAreAskedForByOneQuery() {
        Set<RecordKey> most = services(PrefixWatches.QUERIES_MAX);
        Set<RecordKey> more = services(PrefixWatches.QUERIES_MAX + 1);
        RecordKey elsewhere = new RecordKey("queue", List.of("jobs"));
        more.add(elsewhere);

        assertThat(PrefixWatches.asked(most)).isEqualTo(most);
        assertThat(PrefixWatches.asked(more)).containsExactlyInAnyOrder(registration(), elsewhere);
    }

    /** An agent that answers each first question at once, and each later one when the test has a change for it. */
    private static final class Agent implements AutoCloseable {
        private final FakeAgent fake;
        private final Supplier<String> entries;
        private final AtomicInteger index = new AtomicInteger(7);
        private final CountDownLatch change = new CountDownLatch(1);

        Agent(Supplier<String> entries) throws Exception {
            this.entries = entries;
            this.fake = new FakeAgent(this::answer);
        }

        private String answer(String request) {
            try {
                if (request.contains("index=7&") && !change.await(30, TimeUnit.SECONDS)
                        || request.contains("index=8&")) {
                    // Nothing changes any more.
                    TimeUnit.SECONDS.sleep(30);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            String body = entries.get();
            return FakeAgent.http(body.isEmpty() ? 404 : 200, "X-Consul-Index: " + index.get() + "\r\n", body);
        }

        void changed() {
            index.set(8);
            change.countDown();
        }

        long questions(String path) {
            return fake.requests().stream()
                    .filter(request -> request.startsWith("GET /v1/kv/" + path + "?"))
                    .count();
        }

        @Override
        public void close() throws Exception {
            change.countDown();
            fake.close();
        }
    }

    private static String entry(String path, int index) {
        return "{\"Key\":\"" + path + "\",\"Value\":null,\"ModifyIndex\":" + index + "}";
    }

    private static boolean isVacant(Hint hint, RecordKey key) {
        return hint instanceof Hint.Seen seen
                && seen.observation() instanceof Observation.Vacant
                && seen.observation().key().equals(key);
    }

    /**
     * What vanished between the opening of a watch and its first answer can't be known by that answer, least of all by
     * an empty one.
     */
    @Test
    void aFirstAnswerIsAGapThoughItIsEmpty() throws Exception {
        Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        try (Agent agent = new Agent(() -> "");
                ElectionStore store = ConsulServer.open(agent.fake.port(), "");
                Subscription watch = store.watch(registration("web"), hints::add)) {
            Await.until("a gap", PATIENCE, () -> !hints.isEmpty());

            assertThat(watch).isNotNull();
            assertThat(hints).containsExactly(Hint.Gap.INSTANCE);
        }
    }

    private static void fail(Queue<Hint> hints, Hint hint) {
        hints.add(hint);
        throw new IllegalStateException("a consumer that fails");
    }

    /** Three watches, one of them below another, cost two connections, and each hears its own, once. */
    @Test
    void watchesShareAQueryAndEachHearsItsOwn() throws Exception {
        AtomicInteger round = new AtomicInteger();
        Supplier<String> entries = () -> round.get() == 0
                ? "[" + entry("mandate/registration/web/1", 5) + "," + entry("mandate/registration/webapp/1", 5) + "]"
                : "[" + entry("mandate/registration/web/2", 8) + "," + entry("mandate/registration/webapp/1", 8) + "]";
        Queue<Hint> web = new ConcurrentLinkedQueue<>();
        Queue<Hint> one = new ConcurrentLinkedQueue<>();
        Queue<Hint> webapp = new ConcurrentLinkedQueue<>();
        try (Agent agent = new Agent(entries);
                ElectionStore store = ConsulServer.open(agent.fake.port(), "")) {
            // Whichever of them is told first, its failure is not the other's.
            store.watch(registration("web"), hint -> fail(web, hint));
            store.watch(registration("web", "1"), hint -> fail(one, hint));
            Subscription other = store.watch(registration("webapp"), webapp::add);
            Await.until("three gaps", PATIENCE, () -> !web.isEmpty() && !one.isEmpty() && !webapp.isEmpty());
            Await.until(
                    "two questions that wait",
                    PATIENCE,
                    () -> agent.questions("mandate/registration/web") == 2
                            && agent.questions("mandate/registration/webapp") == 2);

            round.set(1);
            agent.changed();

            Await.until("the news", PATIENCE, () -> web.size() >= 3 && one.size() >= 2 && webapp.size() >= 2);
            assertThat(agent.questions("mandate/registration/web/1")).isZero();
            assertThat(web).hasSize(3).anyMatch(hint -> isVacant(hint, registration("web", "1")));
            assertThat(web).anyMatch(hint -> isVacant(hint, registration("web", "2")));
            assertThat(one).hasSize(2).anyMatch(hint -> isVacant(hint, registration("web", "1")));
            assertThat(webapp).hasSize(2).anyMatch(hint -> isVacant(hint, registration("webapp", "1")));
            other.close();
        }
    }

    /** More services than there are connections for are followed by one, and nobody misses what happened in between. */
    @Test
    void oneQueryReplacesTooManyAndTellsThemAllToLook() throws Exception {
        Queue<Hint> first = new ConcurrentLinkedQueue<>();
        List<Subscription> watches = new ArrayList<>();
        try (Agent agent = new Agent(() -> "");
                ElectionStore store = ConsulServer.open(agent.fake.port(), "")) {
            store.watch(registration("service-0"), first::add);
            Await.until("a gap", PATIENCE, () -> first.size() == 1);

            for (RecordKey service : services(PrefixWatches.QUERIES_MAX + 1)) {
                watches.add(store.watch(service, hint -> {}));
            }

            Await.until("a question for all", PATIENCE, () -> agent.questions("mandate/registration/") > 0);
            Await.until("another gap", PATIENCE, () -> first.size() == 2);
            agent.changed();
            Await.until("the next question for all", PATIENCE, () -> agent.questions("mandate/registration/") >= 3);
            assertThat(agent.fake.requests())
                    .as("questions of those that were replaced")
                    .noneMatch(request -> request.contains("/service-") && request.contains("index=8&"));
            watches.forEach(Subscription::close);
            Await.until("the one that is left", PATIENCE, () -> first.size() == 3);
        }
    }
}
