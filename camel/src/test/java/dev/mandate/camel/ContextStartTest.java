package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.memory.MemoryFaults;
import dev.mandate.testkit.Await;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.StatefulService;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.cluster.ClusteredRoutePolicy;
import org.junit.jupiter.api.Test;

/** A context whose instance leads before it has started. */
class ContextStartTest {
    private static final String NAMESPACE = "orders";

    /** A context starts one route at a time; while the first one starts, the leadership is lost. */
    @Test
    void aLossWhileRoutesAreStartedLeavesNoLeaderThatDoesNotConsume() throws Exception {
        AtomicInteger starts = new AtomicInteger();
        String url = "memory:lost-at-the-start?lease=2s";
        try (MemoryFaults store = MemoryFaults.of("lost-at-the-start");
                Context a = Context.of("a", url)) {
            ProbeComponent probe = new ProbeComponent(() -> a.cluster.isLeader(NAMESPACE), () -> {
                if (starts.incrementAndGet() == 1) {
                    store.cutOff();
                    Await.until("the loss", Context.PLENTY, () -> !a.cluster.isLeader(NAMESPACE));
                    // Until the policy has been told.
                    Await.passing(Duration.ofSeconds(1));
                }
            });
            a.camel.addComponent("probe", probe);
            // Starts with the context, which therefore has not started when this instance leads.
            a.camel.addComponent("held", new ProbeComponent(() -> true, () -> a.awaitLeads(NAMESPACE)));
            ClusteredRoutePolicy policy = ClusteredRoutePolicy.forNamespace(a.cluster, NAMESPACE);
            a.routes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("probe:x").routePolicy(policy).routeId("x").process(e -> {});
                    from("probe:y").routePolicy(policy).routeId("y").process(e -> {});
                    from("held:x").process(e -> {});
                }
            });
            a.start();
            Await.until(
                    "both to be stopped",
                    Context.PLENTY,
                    () -> a.camel.getRouteController().getRouteStatus("x").isStopped()
                            && a.camel.getRouteController().getRouteStatus("y").isStopped()
                            && starts.get() == 2);
            store.heal();
            a.awaitLeads(NAMESPACE);

            Await.until("both to consume", Context.PLENTY, () -> consumes(a, "x") && consumes(a, "y"));
            assertThat(probe.events).endsWith("started by the leader", "started by the leader");
        }
    }

    private static boolean consumes(Context context, String route) {
        return context.camel.getRoute(route).getConsumer() instanceof StatefulService consumer
                && consumer.getStatus().isStarted();
    }
}
