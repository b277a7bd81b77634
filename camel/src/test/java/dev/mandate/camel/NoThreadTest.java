package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.testkit.Await;
import java.lang.reflect.Field;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.cluster.CamelClusterEventListener;
import org.apache.camel.cluster.CamelClusterEventListener.Leadership;
import org.apache.camel.impl.cluster.ClusteredRoutePolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A machine that has no memory for another thread for a while. */
class NoThreadTest {
    private static final String NAMESPACE = "orders";

    private final CountDownLatch told = new CountDownLatch(1);
    private final CountDownLatch mayReturn = new CountDownLatch(1);
    private final Leadership listener = (view, leader) -> {
        told.countDown();
        Await.until("the test", Context.PLENTY, () -> mayReturn.getCount() == 0);
    };
    private final Refusing threads = new Refusing();
    private final MandateClusterView view =
            new MandateClusterView(new MandateClusterService("a", "memory:never"), NAMESPACE);
    private final Listeners listeners = new Listeners(view, threads);

    /** Threads that can't be started. What the JVM throws is an {@link OutOfMemoryError}, which would end JUnit. */
    private static final class Refusing implements ThreadFactory {
        private final AtomicInteger refused = new AtomicInteger();
        private volatile boolean isRefusing = true;
        private volatile boolean isMaking = true;

        @Override
        public Thread newThread(Runnable work) {
            if (isRefusing && !isMaking) {
                refused.incrementAndGet();
                throw new InternalError("wanted by the test");
            }
            return new Thread(work) {
                @Override
                public void start() {
                    if (isRefusing) {
                        refused.incrementAndGet();
                        throw new InternalError("wanted by the test");
                    }
                    super.start();
                }
            };
        }

        /** Waits until it was asked for more threads than other events explain. */
        void awaitAskedAgain() {
            int before = refused.get();
            Await.until("more attempts", Context.PLENTY, () -> refused.get() > before + 3);
        }
    }

    /** A campaign that leads, with a listener. */
    private Campaign leading(ElectionClient client, ElectionClient observer) {
        listeners.add(listener);
        Campaign campaign = campaign(client, Thread::new);
        campaign.start(CompletableFuture.completedFuture(null));
        Await.until("the lead", Context.PLENTY, () -> isLed(observer));
        return campaign;
    }

    private Campaign campaign(ElectionClient client, ThreadFactory own) {
        return new Campaign(view, client, null, listeners, own);
    }

    private static boolean isLed(ElectionClient observer) {
        return observer.election(NAMESPACE).view().leader().isPresent();
    }

    @Test
    void theLeaseIsKeptUntilAListenerThatHadNoThreadHasReturned() throws Exception {
        String url = "memory:no-thread-at-a-loss?lease=30s";
        try (ElectionClient client = ElectionClient.connect(url);
                ElectionClient observer = ElectionClient.connect(url);
                AutoCloseable last = mayReturn::countDown) {
            Campaign campaign = leading(client, observer);

            CompletableFuture<Void> closed = campaign.stop(Context.PLENTY);
            threads.awaitAskedAgain();
            threads.isRefusing = false;

            assertThat(told.await(Context.PLENTY.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(closed).isNotDone();
            assertThat(isLed(observer)).isTrue();
            mayReturn.countDown();
            closed.get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
            assertThat(isLed(observer)).isFalse();
        }
    }

    @Test
    void aListenerIsToldOfAWinAsSoonAsThereIsAThread() throws Exception {
        String url = "memory:no-thread-at-a-win?lease=30s";
        mayReturn.countDown();
        try (ElectionClient client = ElectionClient.connect(url);
                ElectionClient observer = ElectionClient.connect(url)) {
            Campaign campaign = leading(client, observer);

            threads.awaitAskedAgain();
            threads.isRefusing = false;

            assertThat(told.await(Context.PLENTY.toSeconds(), TimeUnit.SECONDS)).isTrue();
            campaign.stop(Context.PLENTY).get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void aListenerThatWasRemovedMeanwhileIsToldNothingAndWaitedForNoLonger() throws Exception {
        String url = "memory:no-thread-at-a-removal?lease=30s";
        try (ElectionClient client = ElectionClient.connect(url);
                ElectionClient observer = ElectionClient.connect(url)) {
            Campaign campaign = leading(client, observer);

            listeners.remove(listener);
            CompletableFuture<Void> closed = campaign.stop(Context.PLENTY);
            threads.isRefusing = false;

            closed.get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
            assertThat(isLed(observer)).isFalse();
            assertThat(told.getCount()).isOne();
        }
    }

    @Test
    void aFollowersListenerIsToldAndRemovedAsSoonAsThereIsAThread() throws Exception {
        String url = "memory:no-thread-for-a-follower?lease=30s";
        mayReturn.countDown();
        try (ElectionClient client = ElectionClient.connect(url);
                ElectionClient other =
                        ElectionClient.builder(url).candidate("other").connect();
                AutoCloseable theirs = other.election(NAMESPACE).campaign("")) {
            listeners.add(listener);
            Leadership removed = (v, leader) -> {};
            listeners.add(removed);
            listeners.remove(removed);
            Campaign campaign = campaign(client, Thread::new);
            campaign.start(CompletableFuture.completedFuture(null));

            threads.awaitAskedAgain();
            threads.isRefusing = false;

            assertThat(told.await(Context.PLENTY.toSeconds(), TimeUnit.SECONDS)).isTrue();
            Await.until(
                    "the removal",
                    Context.PLENTY,
                    () -> FailuresTest.told(listeners).size() == 1);
            assertThat(client.election(NAMESPACE).view().leader().orElseThrow().candidate())
                    .as("whoever led before")
                    .isEqualTo("other");
            campaign.stop(Context.PLENTY).get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void aCampaignEndsThoughThereIsNoThreadWhenItStops() throws Exception {
        String url = "memory:no-thread-to-close?lease=30s";
        try (ElectionClient client = ElectionClient.connect(url)) {
            Campaign campaign = campaign(client, threads);
            threads.isRefusing = false;
            campaign.start(CompletableFuture.completedFuture(null));
            Await.until("the lead", Context.PLENTY, () -> isLed(client));
            threads.isRefusing = true;

            campaign.stop(Context.PLENTY).get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);

            assertThat(client.elections()).isEmpty();
            assertThat(client.registry().instances(NAMESPACE).instances()).isEmpty();
            campaign.over().get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void aCampaignBeginsThoughThereIsNoThreadWhenTheEarlierOneIsOver() throws Exception {
        String url = "memory:no-thread-to-begin?lease=30s";
        CompletableFuture<Void> earlier = new CompletableFuture<>();
        try (ElectionClient client = ElectionClient.connect(url)) {
            Campaign campaign = campaign(client, threads);
            threads.isRefusing = false;
            campaign.start(earlier);
            threads.isRefusing = true;
            assertThat(client.elections()).isEmpty();

            earlier.complete(null);

            Await.until("the lead", Context.PLENTY, () -> isLed(client));
            campaign.stop(Context.PLENTY).get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Its listener may run for ever. */
    @Test
    void aCampaignThatWaitsForTheEarlierOneStopsAtOnce() throws Exception {
        try (ElectionClient client = ElectionClient.connect("memory:waits-for-the-earlier-one?lease=30s")) {
            Campaign campaign = campaign(client, Thread::new);
            campaign.start(new CompletableFuture<>());

            campaign.stop(Context.PLENTY).get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);

            campaign.over().get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
            assertThat(client.elections()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCampaignWithoutAThreadBeginsNothingAndIsOver(boolean isMade) throws Exception {
        threads.isMaking = isMade;
        try (ElectionClient client = ElectionClient.connect("memory:no-thread-at-all-" + isMade + "?lease=30s")) {
            Campaign campaign = campaign(client, threads);

            assertThatThrownBy(() -> campaign.start(CompletableFuture.completedFuture(null)))
                    .hasMessage("wanted by the test");

            assertThat(client.elections()).isEmpty();
            assertThat(client.registry().instances(NAMESPACE).instances()).isEmpty();
            assertThat(campaign.stop(Context.PLENTY)).isDone();
            assertThat(campaign.over()).isDone();
        }
    }

    @Test
    void aCampaignThatCannotBeginIsOver() throws Exception {
        ElectionClient client = ElectionClient.connect("memory:cannot-begin?lease=30s");
        client.close();
        Campaign campaign = campaign(client, Thread::new);

        assertThatThrownBy(() -> campaign.start(CompletableFuture.completedFuture(null)))
                .isInstanceOf(IllegalStateException.class);

        campaign.over().get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
    }

    /** Nothing of it can be in progress, and a context that stops tells its policies nothing more. */
    @Test
    void aContextThatStopsDoesNotWaitForAPolicyWithoutAThread() throws Exception {
        try (Context a = Context.of("a", "memory:no-thread-for-a-policy")) {
            ClusteredRoutePolicy policy = ClusteredRoutePolicy.forNamespace(a.cluster, NAMESPACE);
            Field own = Stream.of(ClusteredRoutePolicy.class.getDeclaredFields())
                    .filter(f -> CamelClusterEventListener.class.isAssignableFrom(f.getType()))
                    .findFirst()
                    .orElseThrow();
            own.setAccessible(true);
            listeners.add((CamelClusterEventListener) own.get(policy));

            assertThat(listeners.policiesReturned()).isDone();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConsumerIsHaltedAsSoonAsThereIsAThread(boolean isMade) throws Exception {
        threads.isMaking = isMade;
        ProbeComponent probe = new ProbeComponent(() -> true);
        try (Context a = Context.of("a", "memory:no-thread-to-halt-" + isMade + "?lease=30s")) {
            a.camel.addComponent("probe", probe);
            ClusteredRoutePolicy policy = ClusteredRoutePolicy.forNamespace(a.cluster, NAMESPACE);
            a.routes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("probe:x").routePolicy(policy).process(e -> {});
                }
            });
            a.start();
            Await.until("the consumer", Context.PLENTY, () -> probe.events.size() == 1);
            ClusteredRoutes routes = new ClusteredRoutes((MandateClusterView) a.view(NAMESPACE), threads);

            CompletableFuture<Boolean> quiet = CompletableFuture.supplyAsync(
                    () -> routes.awaitQuiet(() -> CompletableFuture.completedFuture(null), listeners::wake));
            Await.until("the first attempt", Context.PLENTY, () -> threads.refused.get() > 0);
            threads.isRefusing = false;

            Await.until("the halt", Context.PLENTY, () -> probe.events.contains("stopped"));
            a.cluster.stopView(NAMESPACE);
            assertThat(quiet.get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS)).isFalse();
        }
    }
}
