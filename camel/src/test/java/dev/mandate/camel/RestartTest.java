package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.testkit.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.camel.cluster.CamelClusterEventListener;
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
        String url = "memory:stop-start-stop?lease=2s";
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

    /** The client, whose elections cannot be observed while it is broken. */
    private static ElectionClient failing(ElectionClient client, AtomicBoolean isBroken) {
        return proxy(ElectionClient.class, (method, arguments) -> {
            Object answer = method.invoke(client, arguments);
            return answer instanceof Election election
                    ? proxy(Election.class, (called, given) -> {
                        if (called.getName().equals("observe") && isBroken.get()) {
                            throw new IllegalStateException("wanted by the test");
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
