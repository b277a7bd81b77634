package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.memory.MemoryFaults;
import dev.mandate.testkit.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.cluster.CamelClusterEventListener;
import org.apache.camel.cluster.CamelClusterView;
import org.apache.camel.impl.cluster.ClusteredRoutePolicy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Routes that run on the leader only, in one JVM. */
class RoutesTest {
    private static final String NAMESPACE = "orders";
    private static final String HAS_MASTER = "dev.mandate.camel.Context#hasMaster";

    @TempDir
    private Path temp;

    private static String[] ways() {
        return Context.hasMaster() ? new String[] {"policy", "master"} : new String[] {"policy"};
    }

    /** A route from {@code uri} that runs on the leader only. */
    private static RouteBuilder route(Context context, String way, String uri, Runnable work) {
        return new RouteBuilder() {
            @Override
            public void configure() throws Exception {
                (way.equals("master")
                                ? from("master:" + NAMESPACE + ":" + uri)
                                : from(uri).routePolicy(ClusteredRoutePolicy.forNamespace(context.cluster, NAMESPACE)))
                        .routeId("clustered")
                        .process(e -> work.run());
            }
        };
    }

    /**
     * The lease outlasts the work. Only a route with a policy also finishes it: Camel interrupts the exchange of a
     * {@code master:} endpoint, and leaves its file where it was.
     */
    @ParameterizedTest
    @MethodSource("ways")
    void aStopOfTheContextHandsOverWhenTheExchangeInFlightIsDone(String way) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Files.writeString(temp.resolve("order"), "1");
        try (ElectionClient observer = ElectionClient.connect("memory:stop-" + way + "?lease=2s");
                Context a = Context.of("a", "memory:stop-" + way + "?lease=2s")) {
            a.routes(route(a, way, "file:" + temp + "?initialDelay=0&delay=20", () -> {
                begun.countDown();
                awaited(mayEnd);
            }));
            a.start();
            begun.await();

            Thread stopping = new Thread(a::close);
            stopping.start();
            Await.until("the context to stop", Context.PLENTY, () -> a.camel.isStopping());
            Await.passing(Duration.ofSeconds(4));
            assertThat(observer.election(NAMESPACE).view().leader())
                    .as("while the exchange is in flight")
                    .isPresent();
            mayEnd.countDown();
            stopping.join();

            assertThat(observer.election(NAMESPACE).view().leader()).isEmpty();
            if (way.equals("policy")) {
                assertThat(temp.resolve(".camel/order")).exists();
            }
        }
    }

    /** Camel interrupts the exchanges of {@code master:file:} when it stops. */
    private static void awaited(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // Work that does not heed it.
            }
        }
    }

    /** Also when only the route is stopped: its consumer leaves the view before it stops. */
    @ParameterizedTest
    @MethodSource("ways")
    void aRouteThatIsStoppedByHandGivesUpOrKeepsTheLeaseAndCanStartAgain(String way) throws Exception {
        ProbeComponent probe = new ProbeComponent(() -> true);
        try (Context a = Context.of("a", "memory:by-hand-" + way + "?lease=30s")) {
            a.camel.addComponent("probe", probe);
            a.routes(route(a, way, "probe:x", () -> {})).start();
            Await.until("the consumer", Context.PLENTY, () -> probe.events.size() == 1);

            a.camel.getRouteController().stopRoute("clustered");
            Await.until("the stop", Context.PLENTY, () -> probe.events.contains("stopped"));
            assertThat(a.cluster.isLeader(NAMESPACE)).isEqualTo(way.equals("policy"));
            a.camel.getRouteController().startRoute("clustered");

            Await.until("the consumer again", Context.PLENTY, () -> probe.events.size() == 3);
            assertThat(a.cluster.isLeader(NAMESPACE)).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aConsumerStopsWhenTheLeaseIsLostAndStartsWhenItIsWonAgain(String way) throws Exception {
        try (MemoryFaults store = MemoryFaults.of("lost-" + way);
                Context a = Context.of("a", "memory:lost-" + way + "?lease=2s")) {
            ProbeComponent probe = new ProbeComponent(() -> a.cluster.isLeader(NAMESPACE));
            a.camel.addComponent("probe", probe);
            a.routes(route(a, way, "probe:x", () -> {})).start();
            Await.until("the consumer", Context.PLENTY, () -> probe.events.size() == 1);

            store.cutOff();
            Await.until("the stop", Context.PLENTY, () -> probe.events.contains("stopped"));
            store.heal();

            Await.until(
                    "the consumer again",
                    Context.PLENTY,
                    () -> a.cluster.isLeader(NAMESPACE)
                            && probe.events.get(probe.events.size() - 1).equals("started by the leader"));
        }
    }

    /** A follower's consumer is started by no version, where the policy is used. */
    @Test
    @Tag("long")
    void aPolicyNeverStartsAConsumerAfterALoss() throws Exception {
        try (MemoryFaults store = MemoryFaults.of("late-policy");
                Context a = Context.of("a", "memory:late-policy?lease=1s")) {
            ProbeComponent probe = new ProbeComponent(() -> a.cluster.isLeader(NAMESPACE));
            a.camel.addComponent("probe", probe);
            a.routes(route(a, "policy", "probe:x", () -> {})).start();
            Await.until("the consumer", Context.PLENTY, () -> probe.events.size() == 1);
            store.cutOff();
            Await.until("the stop", Context.PLENTY, () -> probe.events.contains("stopped"));

            Await.passing(Duration.ofSeconds(8));

            assertThat(probe.events).containsExactly("started by the leader", "stopped");
        }
    }

    /**
     * CAMEL-24583: {@code master:} starts its consumer a second after the win, even if the leadership was lost
     * meanwhile. The view's repeated event stops it again, or prevents it.
     */
    @Test
    @EnabledIf(HAS_MASTER)
    void aConsumerThatMasterStartsAfterALossIsStoppedAgain() throws Exception {
        try (MemoryFaults store = MemoryFaults.of("late-master");
                Context a = Context.of("a", "memory:late-master?lease=20s")) {
            ProbeComponent probe = new ProbeComponent(() -> a.cluster.isLeader(NAMESPACE));
            a.camel.addComponent("probe", probe);
            CamelClusterView view = a.view(NAMESPACE);
            CountDownLatch won = new CountDownLatch(1);
            view.addEventListener(whenTold(() -> {
                if (a.cluster.isLeader(NAMESPACE)) {
                    won.countDown();
                }
            }));
            a.routes(route(a, "master", "probe:x", () -> {})).start();
            won.await();
            // Camel makes the thread that starts the consumer when the route is told of the win.
            Await.until("the route to be told", Context.PLENTY, () -> isPreparingToStart(a));
            store.cutOff();
            a.cluster.leadership(NAMESPACE).orElseThrow().resign();

            // A repeated event that comes just before the start prevents it.
            Await.passing(Duration.ofSeconds(3));
            if (!probe.events.isEmpty()) {
                Await.until("its stop", Context.PLENTY, () -> probe.events.size() == 2);
                assertThat(probe.events).containsExactly("started by a follower", "stopped");
            }
            store.heal();
        }
    }

    private static boolean isPreparingToStart(Context context) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .anyMatch(n -> n.startsWith("Camel (" + context.camel.getName() + ")") && n.endsWith("Leadership"));
    }

    private static CamelClusterEventListener.Leadership whenTold(Runnable run) {
        return (view, leader) -> run.run();
    }

    /** It tries once: an attempt after five seconds, which its settings promise, would be one by a follower. */
    @Test
    @Tag("long")
    @EnabledIf(HAS_MASTER)
    void masterStartsNothingAfterALossThatComesLater() throws Exception {
        try (MemoryFaults store = MemoryFaults.of("later-master");
                Context a = Context.of("a", "memory:later-master?lease=1s")) {
            ProbeComponent probe = new ProbeComponent(() -> a.cluster.isLeader(NAMESPACE));
            a.camel.addComponent("probe", probe);
            a.routes(route(a, "master", "probe:x", () -> {})).start();
            Await.until("the consumer", Context.PLENTY, () -> probe.events.size() == 1);
            store.cutOff();
            Await.until("the stop", Context.PLENTY, () -> probe.events.contains("stopped"));

            Await.passing(Duration.ofSeconds(8));

            assertThat(probe.events).containsExactly("started by the leader", "stopped");
        }
    }

    @Test
    @EnabledIf(HAS_MASTER)
    void aRouteWithABadNamespaceSaysSo() throws Exception {
        try (Context a = Context.of("a", "memory:bad")) {
            a.routes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("master:" + "x".repeat(513) + ":file:" + temp).process(e -> {});
                }
            });

            assertThatThrownBy(a::start).hasStackTraceContaining("namespace ").hasStackTraceContaining("512");
        }
    }
}
