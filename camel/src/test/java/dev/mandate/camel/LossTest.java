package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.memory.MemoryFaults;
import dev.mandate.testkit.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.Route;
import org.apache.camel.ShutdownRoute;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.cluster.CamelClusterEventListener;
import org.apache.camel.cluster.CamelClusterView;
import org.apache.camel.impl.cluster.ClusteredRoutePolicy;
import org.apache.camel.spi.RoutePolicy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What routes with a policy do from a loss on while an exchange takes long. */
@Tag("long")
class LossTest {
    private static final String NAMESPACE = "orders";

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @TempDir
    private Path temp;

    private static void route(Context context, String id, String uri, RoutePolicy policy, Processor work)
            throws Exception {
        context.routes(new RouteBuilder() {
            @Override
            public void configure() {
                from(uri).routePolicy(policy).routeId(id).process(work);
            }
        });
    }

    private String files(String folder, int count) throws Exception {
        Path inbox = Files.createDirectories(temp.resolve(folder));
        for (int i = 0; i < count; i++) {
            Files.writeString(inbox.resolve("f" + i), "1");
        }
        return "file:" + inbox + "?initialDelay=0&delay=20";
    }

    /** Work that does not heed an interrupt. */
    private void takeLong(Exchange exchange) {
        begun.countDown();
        while (mayEnd.getCount() > 0) {
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                // Goes on.
            }
        }
    }

    private static ClusteredRoutePolicy policy(Context context, String namespace) throws Exception {
        return ClusteredRoutePolicy.forNamespace(context.cluster, namespace);
    }

    /** Camel stops one route of a context at a time, and waits for its exchanges. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noRouteWaitsForTheExchangeOfAnother(boolean isShared) throws Exception {
        List<Boolean> begins = new CopyOnWriteArrayList<>();
        try (MemoryFaults store = MemoryFaults.of("two-routes-" + isShared);
                Context a = Context.of("a", "memory:two-routes-" + isShared + "?lease=2s");
                AutoCloseable last = mayEnd::countDown) {
            a.camel.getShutdownStrategy().setTimeout(10 * Context.PLENTY.toSeconds());
            ClusteredRoutePolicy policy = policy(a, NAMESPACE);
            ProbeComponent probe = new ProbeComponent(() -> a.cluster.isLeader(NAMESPACE));
            a.camel.addComponent("probe", probe);
            route(a, "slow", files("slow", 1), policy, this::takeLong);
            route(a, "probed", "probe:x", isShared ? policy : policy(a, NAMESPACE), e -> {});
            route(a, "files", files("many", 2_000), isShared ? policy : policy(a, NAMESPACE), e -> {
                begins.add(a.cluster.isLeader(NAMESPACE));
                Await.passing(Duration.ofMillis(50));
            });
            a.start();
            begun.await();
            Await.until("files", Context.PLENTY, () -> begins.size() > 5 && probe.events.size() == 1);

            store.cutOff();
            Await.until("the stop of the consumer", Context.PLENTY, () -> probe.events.contains("stopped"));
            Await.until("the end of the exchange", Context.PLENTY, () -> inFlight(a, "files") == 0);
            int before = begins.size();
            Await.passing(Duration.ofSeconds(2));

            assertThat(a.camel.getRouteController().getRouteStatus("slow").isStopped())
                    .as("stopped")
                    .isFalse();
            assertThat(begins).as("while another route waits").hasSize(before);
            mayEnd.countDown();
            store.heal();
            Await.until("files again", Context.PLENTY, () -> begins.size() > before + 5);
            assertThat(probe.events.get(2)).isEqualTo("started by the leader");
        }
    }

    private static int inFlight(Context context, String route) {
        return context.camel.getInflightRepository().size(route);
    }

    /** Here Camel gives up after a second. */
    @Test
    void theLeaseIsKeptWhileAnExchangeGoesOnThatCamelNoLongerWaitsFor() throws Exception {
        String url = "memory:gave-up?lease=30s&drainTimeout=8s";
        try (ElectionClient observer = ElectionClient.connect(url);
                Context a = Context.of("a", url);
                AutoCloseable last = mayEnd::countDown) {
            a.camel.getShutdownStrategy().setTimeout(1);
            route(a, "slow", files("slow", 1), policy(a, NAMESPACE), this::takeLong);
            a.start();
            begun.await();
            long token = a.token(NAMESPACE);

            a.cluster.leadership(NAMESPACE).orElseThrow().resign();

            Await.until(
                    "the end of the route",
                    Context.PLENTY,
                    () -> a.camel.getRouteController().getRouteStatus("slow").isStopped());
            Await.passing(Duration.ofSeconds(2));
            assertThat(inFlight(a, "slow")).isOne();
            assertThat(Context.tokenSeenBy(observer, NAMESPACE)).isEqualTo(token);
            mayEnd.countDown();
            a.awaitLeads(NAMESPACE);
        }
    }

    /** Here Camel gives up after a second, forgets the route, and counts its exchange only among all. */
    @Test
    void theLeaseIsKeptWhileAnExchangeGoesOnThatAStoppedContextNoLongerWaitsFor() throws Exception {
        String url = "memory:gave-up-at-the-end?lease=30s&drainTimeout=8s";
        try (ElectionClient observer = ElectionClient.connect(url);
                AutoCloseable last = mayEnd::countDown) {
            Context a = Context.of("a", url);
            a.camel.getShutdownStrategy().setTimeout(1);
            route(a, "slow", files("slow", 1), policy(a, NAMESPACE), this::takeLong);
            a.start();
            begun.await();
            long token = a.token(NAMESPACE);
            Thread stopping = new Thread(a::close);
            stopping.start();

            Await.until("the end of the route", Context.PLENTY, () -> a.camel.getRoutesSize() == 0);
            Await.passing(Duration.ofSeconds(2));
            assertThat(Context.tokenSeenBy(observer, NAMESPACE)).isEqualTo(token);
            assertThat(stopping.isAlive()).isTrue();
            mayEnd.countDown();
            stopping.join();
            assertThat(observer.election(NAMESPACE).view().leader()).isEmpty();
        }
    }

    /** Some versions of the policy hand a loss to another thread. Here it does nothing: it is stopped itself. */
    @ParameterizedTest
    @EnumSource(ShutdownRoute.class)
    void theLeaseIsKeptUntilARouteIsHaltedOrStoppedThoughItsPolicyReturnsAtOnce(ShutdownRoute kind) throws Exception {
        String url = "memory:returns-at-once-" + kind + "?lease=30s&drainTimeout=8s";
        try (ElectionClient observer = ElectionClient.connect(url);
                Context a = Context.of("a", url)) {
            ProbeComponent probe = new ProbeComponent(() -> true);
            a.camel.addComponent("probe", probe);
            ClusteredRoutePolicy policy = policy(a, NAMESPACE);
            a.routes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("probe:x")
                            .routePolicy(policy)
                            .shutdownRoute(kind)
                            .routeId("mine")
                            .process(e -> {});
                }
            });
            a.start();
            Await.until("the consumer", Context.PLENTY, () -> probe.events.size() == 1);
            long token = a.token(NAMESPACE);
            policy.stop();

            a.cluster.leadership(NAMESPACE).orElseThrow().resign();

            if (kind == ShutdownRoute.Defer) {
                Await.passing(Duration.ofSeconds(3));
                assertThat(probe.events).hasSize(1);
                assertThat(Context.tokenSeenBy(observer, NAMESPACE)).isEqualTo(token);
                a.camel.getRouteController().stopRoute("mine");
            }
            awaitTermAfter(token, a);
            assertThat(probe.events.get(1)).isEqualTo("stopped");
        }
    }

    private static void awaitTermAfter(long token, Context context) {
        Await.until(
                "the next term",
                Context.PLENTY,
                () -> context.cluster
                        .leadership(NAMESPACE)
                        .filter(l -> l.fencingToken().value() > token)
                        .isPresent());
    }

    /** A route of another namespace, or of another service, goes on. */
    @Test
    void onlyTheRoutesOfTheNamespaceAreWaitedFor() throws Exception {
        MandateClusterService other = new MandateClusterService("b", "memory:other-service?lease=30s");
        try (Context a = Context.of("a", "memory:namespaces?lease=30s")) {
            a.camel.addService(other);
            ProbeComponent probe = new ProbeComponent(() -> true);
            a.camel.addComponent("probe", probe);
            route(a, "mine", "probe:x", policy(a, NAMESPACE), e -> {});
            route(a, "namespace", "probe:y", policy(a, "invoices"), e -> {});
            route(a, "service", "probe:z", ClusteredRoutePolicy.forNamespace(other, NAMESPACE), e -> {});
            a.start();
            Await.until("three consumers", Context.PLENTY, () -> probe.events.size() == 3);
            long token = a.token(NAMESPACE);

            a.cluster.leadership(NAMESPACE).orElseThrow().resign();

            awaitTermAfter(token, a);
            assertThat(probe.events.stream().filter("stopped"::equals)).hasSize(1);
        }
    }

    /** Camel has no getters for this: another version may call it otherwise. */
    @Test
    void aPolicyShowsWhatItBelongsTo() throws Exception {
        try (Context a = Context.of("a", "memory:shows")) {
            route(a, "mine", files("none", 0), policy(a, NAMESPACE), e -> {});
            a.start();
            a.awaitLeads(NAMESPACE);
            Route route = a.camel.getRoute("mine");
            RoutePolicy policy = route.getRoutePolicyList().get(0);

            assertThat(ClusteredPolicy.isOf(a.view(NAMESPACE), policy)).isTrue();
            assertThat(ClusteredPolicy.isOf(a.view("invoices"), policy)).isFalse();
            Await.until("the policy to lead", Context.PLENTY, () -> ClusteredPolicy.believesToLead(policy));
            a.cluster.stopView(NAMESPACE);
            Await.until("the policy to hear it", Context.PLENTY, () -> !ClusteredPolicy.believesToLead(policy));
        }
    }

    @Test
    void anErrorOfAListenerKeepsNothingFromTheOthers() throws Exception {
        List<Boolean> told = new CopyOnWriteArrayList<>();
        try (MemoryFaults store = MemoryFaults.of("listener-error")) {
            store.refuseConnections();
            try (Context a = Context.of("a", "memory:listener-error?lease=2s").start()) {
                CamelClusterView view = a.view(NAMESPACE);
                view.addEventListener(whenTold(() -> {
                    throw new NoClassDefFoundError("wanted by the test");
                }));
                view.addEventListener(
                        whenTold(() -> told.add(view.getLocalMember().isLeader())));
                Await.until("both to be told", Context.PLENTY, () -> told.contains(false));

                store.heal();
                Await.until("the win", Context.PLENTY, () -> told.contains(true));
                a.cluster.stopView(NAMESPACE);

                Await.until("the loss", Context.PLENTY, () -> !told.get(told.size() - 1));
                ((MandateClusterView) view).ended().get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    private static CamelClusterEventListener.Leadership whenTold(Runnable run) {
        return (view, leader) -> run.run();
    }
}
