package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.memory.MemoryFaults;
import dev.mandate.testkit.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.cluster.ClusteredRoutePolicy;
import org.apache.camel.impl.engine.AbstractCamelContext;
import org.apache.camel.impl.engine.DefaultRouteController;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A context that stops while a policy starts or stops its routes. */
@Tag("long")
class ContextStopTest {
    private static final String NAMESPACE = "orders";

    private final CountDownLatch hasBegun = new CountDownLatch(1);

    @TempDir
    private Path temp;

    /** Takes so long that a context which stops gets far in the meantime. */
    private void takeLong() {
        hasBegun.countDown();
        Await.passing(Duration.ofSeconds(2));
    }

    /** Camel's policy holds its lock and wants the route's; a context holds the route's and wants the policy's. */
    @Test
    void aContextStopsWhileAPolicyStartsItsRoute() throws Exception {
        ProbeComponent probe = new ProbeComponent(() -> true, this::takeLong);
        Context a = Context.of("a", "memory:stops-at-a-win?lease=2s");
        a.camel.addComponent("probe", probe);
        start(a);
        hasBegun.await();

        closeInTime(a);

        assertThat(a.camel.isStopped()).isTrue();
        assertThat(probe.events).containsExactly("started by the leader", "stopped");
    }

    @Test
    void aContextStopsWhileAPolicyStopsItsRoute() throws Exception {
        ProbeComponent probe = new ProbeComponent(() -> true);
        Context a = Context.of("a", "memory:stops-at-a-loss?lease=2s");
        stopRoutesSlowly(a);
        a.camel.addComponent("probe", probe);
        start(a);
        Await.until("the consumer", Context.PLENTY, () -> probe.events.size() == 1);
        a.cluster.stopView(NAMESPACE);
        hasBegun.await();

        closeInTime(a);

        assertThat(a.camel.isStopped()).isTrue();
        assertThat(probe.events).containsExactly("started by the leader", "stopped");
    }

    /** Whoever stops the service first still has the context wait for its policies. */
    @Test
    void aContextStopsWhileItsServiceDoes() throws Exception {
        ProbeComponent probe = new ProbeComponent(() -> true);
        Context a = Context.of("a", "memory:service-stops-first?lease=2s");
        stopRoutesSlowly(a);
        a.camel.addComponent("probe", probe);
        start(a);
        Await.until("the consumer", Context.PLENTY, () -> probe.events.size() == 1);
        Thread stopping = new Thread(a.cluster::stop);
        stopping.setDaemon(true);
        stopping.start();
        hasBegun.await();

        closeInTime(a);

        assertThat(a.camel.isStopped()).isTrue();
        assertThat(probe.events).containsExactly("started by the leader", "stopped");
    }

    /** A context stops one route at a time, and gives each a whole timeout. */
    @Test
    void aContextStopsWhilePoliciesStopSeveralRoutesThatTakeAWholeTimeout() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        int routes = 5;
        CountDownLatch taken = new CountDownLatch(routes);
        try (MemoryFaults store = MemoryFaults.of("many-timeouts");
                AutoCloseable last = mayEnd::countDown) {
            Context a = Context.of("a", "memory:many-timeouts?lease=2s&drainTimeout=500ms");
            a.camel.getShutdownStrategy().setTimeout(1);
            for (int i = 0; i < routes; i++) {
                Path inbox = Files.createDirectory(temp.resolve("inbox" + i));
                Files.writeString(inbox.resolve("f"), "1");
                String uri = "file:" + inbox + "?initialDelay=0&delay=20";
                ClusteredRoutePolicy policy = ClusteredRoutePolicy.forNamespace(a.cluster, NAMESPACE);
                a.routes(new RouteBuilder() {
                    @Override
                    public void configure() {
                        from(uri).routePolicy(policy).process(e -> {
                            taken.countDown();
                            Await.until("the test", Context.PLENTY.multipliedBy(10), () -> mayEnd.getCount() == 0);
                        });
                    }
                });
            }
            a.start();
            taken.await();
            store.cutOff();
            Await.until("the loss", Context.PLENTY, () -> !a.cluster.isLeader(NAMESPACE));

            closeInTime(a);

            assertThat(a.camel.isStopped()).isTrue();
        }
    }

    /** Its policy is not told any more. */
    @Test
    void aConsumerIsHaltedByALossWhileTheContextWaitsForAnotherRoute() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        CountDownLatch mayStart = new CountDownLatch(1);
        ProbeComponent probe = new ProbeComponent(() -> true);
        ProbeComponent slow = new ProbeComponent(() -> true, () -> {
            hasBegun.countDown();
            Await.until("the test", Context.PLENTY.multipliedBy(10), () -> mayStart.getCount() == 0);
        });
        String url = "memory:halts-while-it-waits?lease=2s";
        try (MemoryFaults store = MemoryFaults.of("halts-while-it-waits");
                Context a = Context.of("a", url);
                AutoCloseable last = mayStart::countDown) {
            a.camel.getShutdownStrategy().setTimeout(10 * Context.PLENTY.toSeconds());
            a.camel.setRouteController(new DefaultRouteController((AbstractCamelContext) a.camel) {
                @Override
                public void stopRoute(String id) throws Exception {
                    told.add(id);
                    super.stopRoute(id);
                }
            });
            a.camel.addComponent("probe", probe);
            a.camel.addComponent("slow", slow);
            route(a, "probe:x");
            startSlowOneLast(a, url, probe);
            Thread stopping = new Thread(a::close);
            stopping.start();
            Await.until("the context to stop", Context.PLENTY, a.camel::isStopping);

            store.cutOff();
            Await.until("the halt", Context.PLENTY, () -> probe.events.contains("stopped"));

            assertThat(stopping.isAlive()).isTrue();
            mayStart.countDown();
            stopping.join();
            assertThat(told).isEmpty();
        }
    }

    /** One whose start hangs would keep all others running. The context itself then hangs, on a daemon thread. */
    @Test
    void aContextDoesNotWaitForEverBeforeItStopsItsRoutes() throws Exception {
        CountDownLatch mayStart = new CountDownLatch(1);
        ProbeComponent probe = new ProbeComponent(() -> true);
        ProbeComponent hanging = new ProbeComponent(() -> true, () -> {
            hasBegun.countDown();
            Await.until("the test", Context.PLENTY.multipliedBy(10), () -> mayStart.getCount() == 0);
        });
        String url = "memory:hangs?lease=6s";
        Context a = Context.of("a", url);
        try (AutoCloseable last = mayStart::countDown) {
            a.camel.getShutdownStrategy().setTimeout(1);
            a.camel.addComponent("probe", probe);
            a.camel.addComponent("slow", hanging);
            route(a, "probe:x");
            startSlowOneLast(a, url, probe);

            Thread stopping = new Thread(a::close);
            stopping.setDaemon(true);
            stopping.start();

            Await.until("the stop of the consumer", Context.PLENTY, () -> probe.events.contains("stopped"));
        }
    }

    private void stopRoutesSlowly(Context a) {
        a.camel.setRouteController(new DefaultRouteController((AbstractCamelContext) a.camel) {
            @Override
            public void stopRoute(String id) throws Exception {
                takeLong();
                super.stopRoute(id);
            }
        });
    }

    private static void start(Context context) throws Exception {
        route(context, "probe:x");
        context.start();
    }

    /** Camel starts one route at a time, and nobody knows which first. */
    private void startSlowOneLast(Context context, String url, ProbeComponent first) throws Exception {
        route(context, "later", "slow:x");
        try (ElectionClient other = ElectionClient.connect(url);
                Leadership theirs = other.election("later").campaign("")) {
            context.start();
            Await.until("the first", Context.PLENTY, () -> first.events.size() == 1);
            theirs.close();
            hasBegun.await();
        }
    }

    private static void route(Context context, String uri) throws Exception {
        route(context, NAMESPACE, uri);
    }

    private static void route(Context context, String namespace, String uri) throws Exception {
        ClusteredRoutePolicy policy = ClusteredRoutePolicy.forNamespace(context.cluster, namespace);
        context.routes(new RouteBuilder() {
            @Override
            public void configure() {
                from(uri).routePolicy(policy).process(e -> {});
            }
        });
    }

    /** On a thread that nothing waits for if it hangs. */
    private static void closeInTime(Context context) {
        Thread stopping = new Thread(context::close);
        stopping.setDaemon(true);
        stopping.start();
        Await.until("the context to have stopped", Context.PLENTY, () -> !stopping.isAlive());
    }

    /** It is waited for no longer than any other listener. */
    @Test
    void aListenerMayStopTheContext() throws Exception {
        Context a = Context.of("a", "memory:stops-itself?lease=2s");
        a.camel.setRouteController(new DefaultRouteController((AbstractCamelContext) a.camel) {
            @Override
            public void startRoute(String id) {
                a.camel.stop();
            }
        });
        a.camel.getShutdownStrategy().setTimeout(1);
        a.camel.addComponent("probe", new ProbeComponent(() -> true));

        start(a);

        Await.until("the context to have stopped", Context.PLENTY, () -> a.camel.isStopped());
    }

    /** The lease does wait for that listener, on a daemon thread. */
    @Test
    void aContextThatAListenerStopsDoesNotWaitForThatListener() throws Exception {
        Context a = Context.of("a", "memory:is-not-waited-for?lease=2s");
        a.camel.setRouteController(new DefaultRouteController((AbstractCamelContext) a.camel) {
            @Override
            public void startRoute(String id) {
                a.camel.stop();
            }
        });
        a.camel.getShutdownStrategy().setTimeout(10 * Context.PLENTY.toSeconds());
        a.camel.addComponent("probe", new ProbeComponent(() -> true));

        start(a);

        Await.until("the stop of the service", Context.PLENTY, () -> a.cluster.isStopping());
    }
}
