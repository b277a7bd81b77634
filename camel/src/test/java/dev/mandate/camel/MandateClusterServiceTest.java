package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.memory.MemoryFaults;
import dev.mandate.testkit.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.camel.cluster.CamelClusterEventListener;
import org.apache.camel.cluster.CamelClusterMember;
import org.apache.camel.cluster.CamelClusterService;
import org.apache.camel.cluster.CamelClusterView;
import org.apache.camel.main.Main;
import org.apache.camel.support.cluster.ClusterServiceHelper;
import org.apache.camel.support.cluster.ClusterServiceSelectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The service by Camel's own interfaces, in one JVM. */
class MandateClusterServiceTest {
    private static final String NAMESPACE = "orders";

    @TempDir
    private Path temp;

    @ParameterizedTest
    @ValueSource(strings = {"memory:two-contexts?lease=30s", "sqlite:FILE?lease=30s"})
    void oneOfTwoContextsLeadsAndTheOtherTakesOverWhenItStops(String template) throws Exception {
        String url = template.replace("FILE", temp.resolve("mandate.db").toString());
        try (Context a = Context.of("a", url).start()) {
            CamelClusterView seenByA = a.view(NAMESPACE);
            a.awaitLeads(NAMESPACE);
            try (Context b = Context.of("b", url).start()) {
                CamelClusterView seenByB = b.view(NAMESPACE);
                Await.until("two members", Context.PLENTY, () -> ids(seenByA).equals(List.of("a", "b")));
                Await.until("two members", Context.PLENTY, () -> ids(seenByB).equals(List.of("a", "b")));
                Await.until(
                        "b to see a lead", Context.PLENTY, () -> leader(seenByB).equals(Optional.of("a")));
                assertThat(b.cluster.isLeader(NAMESPACE)).isFalse();
                assertThat(seenByB.getLeader().orElseThrow().isLocal()).isFalse();
                assertThat(seenByA.getLeader().orElseThrow().isLocal()).isTrue();
                long token = a.token(NAMESPACE);
                assertThat(b.cluster.leadership(NAMESPACE)).isEmpty();

                a.close();

                b.awaitLeads(NAMESPACE);
                assertThat(a.cluster.isLeader(NAMESPACE)).isFalse();
                assertThat(b.cluster
                                .leadership(NAMESPACE)
                                .orElseThrow()
                                .fencingToken()
                                .value())
                        .isGreaterThan(token);
                Await.until("one member", Context.PLENTY, () -> ids(seenByB).equals(List.of("b")));
            }
        }
    }

    private static List<String> ids(CamelClusterView view) {
        return view.getMembers().stream()
                .map(CamelClusterMember::getId)
                .sorted()
                .toList();
    }

    private static Optional<String> leader(CamelClusterView view) {
        return view.getLeader().map(CamelClusterMember::getId);
    }

    /** Camel's routes look at the member, not at the event. */
    @Test
    void isNotTheLeaderBeforeTheLossIsReported() throws Exception {
        List<Boolean> reported = new CopyOnWriteArrayList<>();
        try (MemoryFaults store = MemoryFaults.of("loss");
                Context a = Context.of("a", "memory:loss?lease=2s").start()) {
            CamelClusterView view = a.view(NAMESPACE);
            view.addEventListener(whenLeadershipChanges(
                    () -> reported.add(view.getLocalMember().isLeader())));
            Await.until("the win", Context.PLENTY, () -> reported.contains(true));

            store.cutOff();

            Await.until("the loss", Context.PLENTY, () -> !reported.get(reported.size() - 1));
            assertThat(reported.subList(reported.indexOf(true) + 1, reported.size()))
                    .containsOnly(false);
        }
    }

    private static CamelClusterEventListener.Leadership whenLeadershipChanges(Runnable run) {
        return (view, leader) -> run.run();
    }

    /** The event runs inside the task. */
    @Test
    void keepsTheLeaseUntilTheListenersOfAStopHaveReturned() throws Exception {
        CountDownLatch mayReturn = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        try (ElectionClient observer = ElectionClient.connect("memory:slow-listener?lease=2s");
                Context a = Context.of("a", "memory:slow-listener?lease=2s").start()) {
            CamelClusterView view = a.view(NAMESPACE);
            a.awaitLeads(NAMESPACE);
            view.addEventListener(whenLeadershipChanges(() -> {
                if (!view.getLocalMember().isLeader()) {
                    told.countDown();
                    awaitUninterruptibly(mayReturn);
                }
            }));

            a.cluster.stopView(NAMESPACE);

            assertThat(a.cluster.isLeader(NAMESPACE)).isFalse();
            told.await();
            long before = observer.election(NAMESPACE)
                    .view()
                    .leader()
                    .orElseThrow()
                    .token()
                    .value();
            Await.passing(java.time.Duration.ofSeconds(3));
            assertThat(observer.election(NAMESPACE)
                            .view()
                            .leader()
                            .orElseThrow()
                            .token()
                            .value())
                    .as("renewed beyond its lease, for as long as the listener runs")
                    .isEqualTo(before);
            mayReturn.countDown();
            Await.until(
                    "the release",
                    Context.PLENTY,
                    () -> observer.election(NAMESPACE).view().leader().isEmpty());
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("a listener was interrupted", e);
        }
    }

    @Test
    void aViewStartsAgainAfterItWasStopped() throws Exception {
        try (Context a = Context.of("a", "memory:restarted?lease=30s").start()) {
            CamelClusterView view = a.view(NAMESPACE);
            a.awaitLeads(NAMESPACE);
            long token = a.token(NAMESPACE);

            a.cluster.stopView(NAMESPACE);
            assertThat(a.cluster.isLeader(NAMESPACE)).isFalse();
            a.cluster.startView(NAMESPACE);

            a.awaitLeads(NAMESPACE);
            assertThat(a.token(NAMESPACE)).isGreaterThan(token);
            assertThat(view.getLocalMember().isLeader()).isTrue();
        }
    }

    @Test
    void aContextStartsWithoutItsStoreAndLeadsWhenItComes() throws Exception {
        try (MemoryFaults store = MemoryFaults.of("late")) {
            store.refuseConnections();
            try (Context a = Context.of("a", "memory:late?lease=2s")) {
                a.view(NAMESPACE);
                a.start();
                assertThat(a.camel.isStarted()).isTrue();
                assertThat(a.cluster.isLeader(NAMESPACE)).isFalse();

                store.heal();

                a.awaitLeads(NAMESPACE);
            }
        }
    }

    @Test
    void usesAClientThatIsGivenAndLeavesItOpen() throws Exception {
        MandateClusterService cluster = new MandateClusterService();
        try (ElectionClient client = ElectionClient.builder("memory:given?lease=30s")
                .candidate("mine")
                .connect()) {
            cluster.setClient(client);
            cluster.setAddress("10.0.0.7:8080");
            try (Context a = Context.with(cluster).start()) {
                CamelClusterView view = a.view(NAMESPACE);
                a.awaitLeads(NAMESPACE);
                assertThat(leader(view)).contains("mine");
                assertThat(client.election(NAMESPACE)
                                .view()
                                .leader()
                                .orElseThrow()
                                .value())
                        .isEqualTo("10.0.0.7:8080");
            }
            assertThat(client.elections()).isEmpty();
            assertThat(client.registry().instances(NAMESPACE).instances()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\nb", "LONG"})
    void refusesANamespaceThatIsNoNameOfAnElection(String namespace) throws Exception {
        String invalid = namespace.equals("LONG") ? "x".repeat(513) : namespace;
        try (Context a = Context.of("a", "memory:refused").start()) {
            assertThatThrownBy(() -> a.view(invalid))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("namespace ")
                    .hasMessageNotContaining("\n");
            assertThat(a.cluster.getNamespaces()).isEmpty();
        }
    }

    /** The view is still being made when its election says for the first and last time who leads. */
    @Test
    void tellsOfALeaderThatWasSeenBeforeTheViewWasComplete() throws Exception {
        List<Optional<String>> told = new CopyOnWriteArrayList<>();
        MandateClusterService cluster = new MandateClusterService();
        try (ElectionClient other = ElectionClient.builder("memory:early?lease=30s")
                        .candidate("other")
                        .connect();
                ElectionClient client = ElectionClient.builder("memory:early?lease=30s")
                        .candidate("mine")
                        .connect()) {
            other.election(NAMESPACE).campaign("there");
            cluster.setClient(SlowObserving.of(client));
            try (Context a = Context.with(cluster)) {
                CamelClusterView view = a.view(NAMESPACE);
                view.addEventListener((CamelClusterEventListener.Leadership)
                        (seen, leader) -> told.add(Optional.ofNullable(leader).map(CamelClusterMember::getId)));

                a.start();

                Await.until("the leader", Context.PLENTY, () -> told.contains(Optional.of("other")));
                assertThat(told).last().isEqualTo(Optional.of("other"));
            }
        }
    }

    @Test
    void needsAUrlOrAClientAndNotBoth() throws Exception {
        MandateClusterService neither = new MandateClusterService();
        assertThatThrownBy(neither::start).hasStackTraceContaining("no url and no client; set one");
        try (ElectionClient client = ElectionClient.connect("memory:both")) {
            MandateClusterService both = new MandateClusterService("a", "memory:both");
            both.setClient(client);
            assertThatThrownBy(both::start).hasStackTraceContaining("has a url and a client; set one of them");
        }
        assertThatThrownBy(() -> new MandateClusterService("a", "sqlite:x.db?lease=never").start())
                .hasStackTraceContaining("lease");
    }

    @Test
    void isFoundByCamelsSelectors() throws Exception {
        MandateClusterService cluster = new MandateClusterService("a", "memory:selected");
        cluster.setOrder(7);
        cluster.setAttribute("region", "north");
        try (Context a = Context.with(cluster).start()) {
            for (CamelClusterService.Selector selector : List.of(
                    ClusterServiceSelectors.DEFAULT_SELECTOR,
                    ClusterServiceSelectors.order(),
                    ClusterServiceSelectors.attribute("region", "north"),
                    ClusterServiceSelectors.type(MandateClusterService.class))) {
                assertThat(ClusterServiceHelper.lookupService(a.camel, selector))
                        .contains(cluster);
            }
            assertThat(cluster.getOrder()).isEqualTo(7);
            assertThat(cluster.unwrap(MandateClusterService.class)).isSameAs(cluster);
        }
    }

    @Test
    void isABeanOfCamelMain() throws Exception {
        Main main = new Main();
        main.bind("cluster", new MandateClusterService("a", "memory:main?lease=2s"));
        main.start();
        try {
            MandateClusterService cluster = main.getCamelContext().hasService(MandateClusterService.class);
            cluster.getView(NAMESPACE);
            Await.until("to lead", Context.PLENTY, () -> cluster.isLeader(NAMESPACE));
        } finally {
            main.stop();
        }
    }
}
