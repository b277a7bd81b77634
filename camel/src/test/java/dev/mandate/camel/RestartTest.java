package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.testkit.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.camel.cluster.CamelClusterEventListener;
import org.apache.camel.cluster.CamelClusterMember;
import org.apache.camel.cluster.CamelClusterView;
import org.junit.jupiter.api.Test;

/** Views that stop and start again while work of an earlier term goes on, or that cannot start. */
class RestartTest {
    private static final String NAMESPACE = "orders";

    private final CountDownLatch told = new CountDownLatch(1);
    private final CountDownLatch mayReturn = new CountDownLatch(1);

    /** A view that leads, with a listener that returns late from a loss. */
    private MandateClusterView leading(Context context) throws Exception {
        MandateClusterView view = (MandateClusterView) context.view(NAMESPACE);
        context.awaitLeads(NAMESPACE);
        view.addEventListener((CamelClusterEventListener.Leadership) (v, leader) -> {
            if (!view.getLocalMember().isLeader()) {
                told.countDown();
                awaitUninterruptibly(mayReturn);
            }
        });
        return view;
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // Work that does not heed it.
            }
        }
    }

    @Test
    void theEndOfTheServiceWaitsForEveryCampaign() throws Exception {
        String url = "memory:stop-start-stop?lease=30s";
        try (ElectionClient observer = ElectionClient.connect(url);
                Context a = Context.of("a", url).start();
                AutoCloseable last = mayReturn::countDown) {
            leading(a);
            a.cluster.stopView(NAMESPACE);
            told.await();
            a.cluster.startView(NAMESPACE);
            a.cluster.stopView(NAMESPACE);

            Thread stopping = new Thread(a::close);
            stopping.start();
            Await.until("the context to stop", Context.PLENTY, () -> a.camel.isStopping());
            Await.passing(Duration.ofSeconds(4));

            assertThat(stopping.isAlive()).as("waits for the first campaign").isTrue();
            assertThat(observer.election(NAMESPACE).view().leader())
                    .as("while the listener runs")
                    .isPresent();
            mayReturn.countDown();
            stopping.join();
            assertThat(observer.election(NAMESPACE).view().leader()).isEmpty();
        }
    }

    @Test
    void aViewCampaignsAgainWhenItsOverrunWorkHasEnded() throws Exception {
        try (Context a = Context.of("a", "memory:overrun?lease=2s").start();
                AutoCloseable last = mayReturn::countDown) {
            a.camel.getShutdownStrategy().setTimeout(1);
            MandateClusterView view = leading(a);
            a.cluster.stopView(NAMESPACE);
            view.ended().get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
            assertThat(mayReturn.getCount()).as("the listener still runs").isOne();

            a.cluster.startView(NAMESPACE);
            mayReturn.countDown();

            a.awaitLeads(NAMESPACE);
        }
    }

    /** As long as Camel allows it, which is longer than a candidacy may take. */
    @Test
    void aTimeoutOfYearsKeepsNothingOpen() throws Exception {
        MandateClusterService cluster = new MandateClusterService();
        try (ElectionClient client = ElectionClient.connect("memory:years?lease=2s")) {
            cluster.setClient(client);
            try (Context a = Context.with(cluster).start()) {
                a.camel.getShutdownStrategy().setTimeout(Long.MAX_VALUE);
                a.camel.getShutdownStrategy().setTimeUnit(TimeUnit.DAYS);
                MandateClusterView view = (MandateClusterView) a.view(NAMESPACE);
                a.awaitLeads(NAMESPACE);

                a.cluster.stopView(NAMESPACE);
                view.ended().get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);

                assertThat(client.elections()).isEmpty();
                assertThat(client.registry().instances(NAMESPACE).instances()).isEmpty();
            }
        }
    }

    @Test
    void aViewThatCannotStartLeavesNothingOpen() throws Exception {
        MandateClusterService cluster = new MandateClusterService();
        AtomicBoolean isBroken = new AtomicBoolean(true);
        try (ElectionClient client = ElectionClient.connect("memory:cannot-start?lease=2s")) {
            cluster.setClient(failing(client, isBroken));
            try (Context a = Context.with(cluster).start()) {
                assertThatThrownBy(() -> a.view(NAMESPACE)).hasStackTraceContaining("wanted by the test");

                assertThat(client.elections()).isEmpty();
                assertThat(client.registry().instances(NAMESPACE).instances()).isEmpty();

                isBroken.set(false);
                a.cluster.startView(NAMESPACE);
                a.awaitLeads(NAMESPACE);
            }
        }
    }

    /** Nobody is told twice of who is still there. */
    @Test
    void aViewThatStartsAgainTellsWhoHasLeftAndWhoHasComeMeanwhile() throws Exception {
        String url = "memory:left-meanwhile?lease=30s";
        try (ElectionClient leaver = member(url, "leaver");
                ElectionClient stayer = member(url, "stayer");
                Context a = Context.of("a", url).start()) {
            MandateClusterView view = (MandateClusterView) a.view(NAMESPACE);
            Seen seen = new Seen();
            view.addEventListener(seen);
            Await.until("all three", Context.PLENTY, () -> seen.events.size() == 3);

            a.cluster.stopView(NAMESPACE);
            view.ended().get(Context.PLENTY.toSeconds(), TimeUnit.SECONDS);
            assertThat(seen.events).as("a stop says nothing of others").hasSize(3);
            leaver.close();
            try (ElectionClient comer = member(url, "comer")) {
                a.cluster.startView(NAMESPACE);

                Await.until("the others", Context.PLENTY, () -> seen.events.containsAll(List.of("-leaver", "+comer")));
                Await.until("itself", Context.PLENTY, () -> ids(view).equals(Set.of("a", "stayer", "comer")));
                try (ElectionClient last = member(url, "last")) {
                    Await.until("the last", Context.PLENTY, () -> seen.events.contains("+last"));
                }
                assertThat(seen.events.subList(0, 3)).containsExactlyInAnyOrder("+a", "+leaver", "+stayer");
                List<String> later = seen.events.subList(3, seen.events.indexOf("+last"));
                assertThat(later.stream().filter(e -> !e.endsWith("a"))).containsExactlyInAnyOrder("-leaver", "+comer");
                // It was away only if the others were listed before it had registered again.
                assertThat(later.stream().filter(e -> e.endsWith("a")).toList()).isIn(List.of(), List.of("-a", "+a"));
            }
        }
    }

    private static Set<String> ids(CamelClusterView view) {
        return view.getMembers().stream().map(CamelClusterMember::getId).collect(Collectors.toSet());
    }

    /** A listener that was busy meanwhile ends with the one that is there. */
    @Test
    void aMemberThatWasRestartedIsToldAsGoneBeforeItIsToldAsBack() throws Exception {
        String url = "memory:restarted-member?lease=30s";
        Seen busy = new Seen() {
            @Override
            public void memberAdded(CamelClusterView view, CamelClusterMember member) {
                super.memberAdded(view, member);
                awaitUninterruptibly(mayReturn);
            }
        };
        try (Context a = Context.of("a", url).start();
                AutoCloseable last = mayReturn::countDown) {
            MandateClusterView view = (MandateClusterView) a.view(NAMESPACE);
            Await.until("itself", Context.PLENTY, () -> view.getMembers().size() == 1);
            try (ElectionClient other = member(url, "other")) {
                Await.until("the other", Context.PLENTY, () -> view.getMembers().size() == 2);
                view.addEventListener(busy);
                Await.until("the first call", Context.PLENTY, () -> busy.events.size() == 1);
            }
            Await.until(
                    "the other to be gone",
                    Context.PLENTY,
                    () -> view.getMembers().size() == 1);
            try (ElectionClient again = member(url, "other")) {
                Await.until(
                        "the other again",
                        Context.PLENTY,
                        () -> view.getMembers().size() == 2);
                mayReturn.countDown();

                Await.until("all", Context.PLENTY, () -> busy.events.size() == 4);
                assertThat(busy.events).containsSubsequence("+other", "-other", "+other");
            }
        }
    }

    @Test
    void aListenerThatIsAddedWhileAViewStartsMissesNobody() throws Exception {
        String url = "memory:added-meanwhile?lease=30s";
        MandateClusterService cluster = new MandateClusterService();
        CountDownLatch mayObserve = new CountDownLatch(1);
        try (ElectionClient client = ElectionClient.connect(url);
                ElectionClient other = member(url, "other")) {
            cluster.setClient(beforeObserving(client, () -> awaitUninterruptibly(mayObserve)));
            try (Context a = Context.with(cluster);
                    AutoCloseable last = mayObserve::countDown) {
                MandateClusterView view = (MandateClusterView) a.view(NAMESPACE);
                Seen early = new Seen();
                view.addEventListener(early);
                Thread starting = new Thread(a::start);
                starting.start();
                Await.until("the first call", Context.PLENTY, () -> early.events.contains("+other"));

                Seen late = new Seen();
                view.addEventListener(late);
                mayObserve.countDown();

                Await.until("all", Context.PLENTY, () -> late.events.contains("+other"));
                starting.join();
            }
        }
    }

    /** A client that is registered as a member. */
    private static ElectionClient member(String url, String candidate) {
        ElectionClient client = ElectionClient.builder(url).candidate(candidate).connect();
        client.registry().register(NAMESPACE, ServiceInstance.withoutAddress());
        return client;
    }

    /** What it was told of members. */
    private static class Seen implements CamelClusterEventListener.Membership {
        final List<String> events = new CopyOnWriteArrayList<>();

        @Override
        public void memberAdded(CamelClusterView view, CamelClusterMember member) {
            events.add("+" + member.getId());
        }

        @Override
        public void memberRemoved(CamelClusterView view, CamelClusterMember member) {
            events.add("-" + member.getId());
        }
    }

    /** The client, whose elections cannot be observed while it is broken. */
    private static ElectionClient failing(ElectionClient client, AtomicBoolean isBroken) {
        return beforeObserving(client, () -> {
            if (isBroken.get()) {
                throw new IllegalStateException("wanted by the test");
            }
        });
    }

    /** The client, whose elections do this first when they are observed. */
    private static ElectionClient beforeObserving(ElectionClient client, Runnable before) {
        return proxy(ElectionClient.class, (method, arguments) -> {
            Object answer = method.invoke(client, arguments);
            return answer instanceof Election election
                    ? proxy(Election.class, (called, given) -> {
                        if (called.getName().equals("observe")) {
                            before.run();
                        }
                        return called.invoke(election, given);
                    })
                    : answer;
        });
    }

    private interface Call {
        Object call(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return call.call(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
