package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.cluster.ClusteredRoutePolicy;
import org.apache.camel.impl.engine.AbstractCamelContext;
import org.apache.camel.impl.engine.DefaultRouteController;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A context that stops while a policy starts or stops its routes. */
class ContextStopTest {
    private static final String NAMESPACE = "orders";

    private final CountDownLatch hasBegun = new CountDownLatch(1);

    enum Change {
        WIN,
        LOSS
    }

    /** Changes of the leadership start and stop routes slowly: the context gets far in the meantime. */
    private final class SlowRoutes extends DefaultRouteController {
        private final Change slow;

        SlowRoutes(CamelContext context, Change slow) {
            super((AbstractCamelContext) context);
            this.slow = slow;
        }

        private void begin(Change change) {
            if (slow == change) {
                hasBegun.countDown();
                Await.passing(Duration.ofSeconds(2));
            }
        }

        @Override
        public void startRoute(String id) throws Exception {
            begin(Change.WIN);
            super.startRoute(id);
        }

        @Override
        public void stopRoute(String id) throws Exception {
            begin(Change.LOSS);
            super.stopRoute(id);
        }
    }

    /** Camel's policy holds its lock and wants the route's; a context holds the route's and wants the policy's. */
    @ParameterizedTest
    @EnumSource(Change.class)
    void aContextStopsWhileAPolicyHearsOfAChange(Change change) throws Exception {
        Context a = Context.of("a", "memory:stops-at-a-" + change + "?lease=2s");
        a.camel.setRouteController(new SlowRoutes(a.camel, change));
        ProbeComponent probe = new ProbeComponent(() -> true);
        a.camel.addComponent("probe", probe);
        start(a);
        if (change == Change.LOSS) {
            Await.until("the consumer", Context.PLENTY, () -> probe.events.size() == 1);
            a.cluster.stopView(NAMESPACE);
        }
        hasBegun.await();

        closeInTime(a);

        assertThat(a.camel.isStopped()).isTrue();
        assertThat(probe.events).containsExactly("started by the leader", "stopped");
    }

    private static void start(Context context) throws Exception {
        ClusteredRoutePolicy policy = ClusteredRoutePolicy.forNamespace(context.cluster, NAMESPACE);
        context.routes(new RouteBuilder() {
                    @Override
                    public void configure() {
                        from("probe:x").routePolicy(policy).process(e -> {});
                    }
                })
                .start();
    }

    /** On a thread that nothing waits for if it hangs. */
    private static void closeInTime(Context context) {
        Thread stopping = new Thread(context::close);
        stopping.setDaemon(true);
        stopping.start();
        Await.until("the context to have stopped", Context.PLENTY, () -> !stopping.isAlive());
    }

    /** It waits for itself no longer than for any other listener. */
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
}
