package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.camel.CamelContext;
import org.apache.camel.StatefulService;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.cluster.CamelClusterEventListener;
import org.apache.camel.impl.cluster.ClusteredRoutePolicy;
import org.apache.camel.impl.engine.DefaultInflightRepository;
import org.junit.jupiter.api.Test;

/** Work stops before the lease is released, whatever throws. */
class FailuresTest {
    private static final String NAMESPACE = "orders";

    /** Here the loss can't be told either, for a while. */
    @Test
    void theLeaseIsKeptUntilAllAreToldOfALossThoughTheWinCouldNotBeTold() throws Exception {
        String url = "memory:win-untold?lease=30s";
        List<String> losses = new CopyOnWriteArrayList<>();
        try (ElectionClient other = ElectionClient.connect(url);
                Leadership theirs = other.election(NAMESPACE).campaign("");
                Context a = Context.of("a", url).start()) {
            MandateClusterView view = (MandateClusterView) a.view(NAMESPACE);
            Await.until("a leader", Context.PLENTY, () -> view.getLeader().isPresent());
            view.addEventListener((CamelClusterEventListener.Leadership) (v, leader) -> {
                if (!view.getLocalMember().isLeader()) {
                    losses.add("loss");
                }
            });
            List<ToldListener> told = told((Listeners) field(view, "listeners"));
            // To tell whoever comes after the first fails.
            told.add(null);

            theirs.close();
            Await.until("the lead", Context.PLENTY, () -> leads(other, "a"));
            long token = Context.tokenSeenBy(other, NAMESPACE);
            int before = losses.size();
            Await.until("the loss to be told again and again", Context.PLENTY, () -> losses.size() > before + 1);

            assertThat(a.cluster.isLeader(NAMESPACE)).isFalse();
            assertThat(leads(other, "a")).isTrue();
            assertThat(Context.tokenSeenBy(other, NAMESPACE)).isEqualTo(token);
            told.remove(null);
            a.awaitLeads(NAMESPACE);
            assertThat(a.token(NAMESPACE)).isGreaterThan(token);
        }
    }

    private static boolean leads(ElectionClient observer, String candidate) {
        return observer.election(NAMESPACE)
                .view()
                .leader()
                .filter(l -> l.candidate().equals(candidate))
                .isPresent();
    }

    @SuppressWarnings("unchecked")
    static List<ToldListener> told(Listeners listeners) throws Exception {
        return (List<ToldListener>) field(listeners, "told");
    }

    private static Object field(Object of, String name) throws Exception {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    @Test
    void whereNoRouteCanBeLookedAtTheLeaseIsKept() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        AtomicReference<RuntimeException> failure = new AtomicReference<>(new IllegalStateException("wanted"));
        CamelContext broken = (CamelContext) Proxy.newProxyInstance(
                CamelContext.class.getClassLoader(),
                new Class<?>[] {CamelContext.class},
                (proxy, method, arguments) -> {
                    asked.incrementAndGet();
                    if (failure.get() != null) {
                        throw failure.get();
                    }
                    return method.getReturnType() == boolean.class ? (Object) false : List.of();
                });
        try (Context a = Context.of("a", "memory:no-route-can-be-looked-at?lease=30s")) {
            MandateClusterView view = (MandateClusterView) a.view(NAMESPACE);
            view.setCamelContext(broken);
            ClusteredRoutes routes = new ClusteredRoutes(view, Thread::new);
            CompletableFuture<Boolean> quiet = CompletableFuture.supplyAsync(
                    () -> routes.awaitQuiet(() -> CompletableFuture.completedFuture(null), () -> {}));
            Await.until("several looks", Context.PLENTY, () -> asked.get() > 3);
            assertThat(quiet).isNotDone();

            failure.set(null);

            assertThat(quiet.get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS)).isFalse();
            view.setCamelContext(a.camel);
        }
    }

    @Test
    void aRouteWhoseLookFailsCountsAsBusyAndKeepsNoOtherFromBeingHalted() throws Exception {
        ProbeComponent probe = new ProbeComponent(() -> true);
        AtomicReference<Thread> refused = new AtomicReference<>();
        try (Context a = Context.of("a", "memory:cannot-be-looked-at?lease=30s")) {
            a.camel.setInflightRepository(new DefaultInflightRepository() {
                @Override
                public int size(String route) {
                    if (route.equals("first") && Thread.currentThread() == refused.get()) {
                        throw new IllegalStateException("wanted by the test");
                    }
                    return super.size(route);
                }
            });
            a.camel.addComponent("probe", probe);
            ClusteredRoutePolicy policy = ClusteredRoutePolicy.forNamespace(a.cluster, NAMESPACE);
            a.routes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("probe:x").routePolicy(policy).routeId("first").process(e -> {});
                    from("probe:y").routePolicy(policy).routeId("second").process(e -> {});
                }
            });
            a.start();
            Await.until("both consumers", Context.PLENTY, () -> probe.events.size() == 2);
            MandateClusterView view = (MandateClusterView) a.view(NAMESPACE);
            AtomicInteger asked = new AtomicInteger();
            ClusteredRoutes routes = new ClusteredRoutes(view, work -> {
                // One at the first look, for the second route.
                if (asked.incrementAndGet() != 2) {
                    throw new InternalError("wanted by the test");
                }
                return new Thread(work);
            });
            CompletableFuture<Boolean> quiet = new CompletableFuture<>();
            Thread waiting = new Thread(
                    () -> quiet.complete(routes.awaitQuiet(() -> CompletableFuture.completedFuture(null), () -> {})));
            refused.set(waiting);

            waiting.start();
            Await.until("a halt", Context.PLENTY, () -> probe.events.contains("stopped"));
            assertThat(consumes(a, "first")).isTrue();
            assertThat(consumes(a, "second")).isFalse();
            a.cluster.stopView(NAMESPACE);
            view.ended().get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);

            assertThat(quiet).isNotDone();
            refused.set(null);
            assertThat(quiet.get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS)).isFalse();
        }
    }

    private static boolean consumes(Context context, String route) {
        return ((StatefulService) context.camel.getRoute(route).getConsumer()).isStarted();
    }

    @Test
    void aLogThatThrowsKeepsNobodyWaiting() throws Exception {
        String namespace = "nobody may log this";
        MandateClusterView view = new MandateClusterView(new MandateClusterService("a", "memory:never"), namespace);
        AtomicBoolean isRefusing = new AtomicBoolean(true);
        Listeners listeners = new Listeners(view, work -> {
            if (isRefusing.get()) {
                throw new InternalError("wanted by the test");
            }
            return new Thread(work);
        });
        try (AutoCloseable last = refuseToLog(namespace)) {
            listeners.add((CamelClusterEventListener.Leadership) (v, leader) -> {
                throw new IllegalStateException("wanted by the test");
            });
            isRefusing.set(false);

            listeners.leadershipLost().get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static AutoCloseable refuseToLog(String what) {
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                if (record.getMessage().contains(what)) {
                    throw new IllegalStateException("wanted by the test");
                }
            }

            @Override
            public void flush() {
                // Nothing is held back.
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
        Logger logger = Logger.getLogger("dev.mandate.camel");
        logger.addHandler(handler);
        return () -> logger.removeHandler(handler);
    }

    /** As where there is no memory: the executor of the listener has taken nothing. */
    @Test
    void whatCouldNotBeQueuedIsToldLater() throws Exception {
        List<String> calls = new CopyOnWriteArrayList<>();
        ToldListener listener = losing((view, leader) -> calls.add("told"));

        CompletableFuture<Void> returned = listener.leadershipChanged();
        listener.wake();

        returned.get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
        assertThat(calls).containsExactly("told");
    }

    @Test
    void aListenerWhoseEndCouldNotBeQueuedIsGoneLater() throws Exception {
        CompletableFuture<Void> gone = new CompletableFuture<>();
        ToldListener listener = losing((view, leader) -> {});

        listener.end(() -> gone.complete(null));
        listener.wake();

        gone.get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
    }

    /** One whose executor loses what it was given first. */
    private static ToldListener losing(CamelClusterEventListener.Leadership listener) throws Exception {
        AtomicReference<Queue<Runnable>> queue = new AtomicReference<>();
        ToldListener losing = new ToldListener(
                new MandateClusterView(new MandateClusterService("a", "memory:never"), NAMESPACE), listener, work -> {
                    Queue<Runnable> lost = queue.getAndSet(null);
                    if (lost != null) {
                        lost.clear();
                        throw new InternalError("wanted by the test");
                    }
                    return new Thread(work);
                });
        queue.set(((ThreadPoolExecutor) field(losing, "thread")).getQueue());
        return losing;
    }
}
