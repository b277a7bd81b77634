package dev.mandate.camel;

import dev.mandate.ElectionClient;
import dev.mandate.testkit.Await;
import java.time.Duration;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.cluster.CamelClusterView;
import org.apache.camel.impl.DefaultCamelContext;

/** A Camel context with a cluster service, for tests. */
final class Context implements AutoCloseable {
    static final Duration PLENTY = Duration.ofSeconds(60);

    final CamelContext camel = new DefaultCamelContext();
    final MandateClusterService cluster;

    private Context(MandateClusterService cluster) {
        this.cluster = cluster;
    }

    static Context of(String id, String url) throws Exception {
        return with(new MandateClusterService(id, url));
    }

    static Context with(MandateClusterService cluster) throws Exception {
        Context context = new Context(cluster);
        context.camel.disableJMX();
        context.camel.addService(cluster);
        return context;
    }

    /** Whether {@code master:} endpoints are there: not every version tested has them. */
    static boolean hasMaster() {
        return Context.class.getResource("/org/apache/camel/component/master/MasterComponent.class") != null;
    }

    Context routes(RouteBuilder routes) throws Exception {
        camel.addRoutes(routes);
        return this;
    }

    Context start() {
        camel.start();
        return this;
    }

    CamelClusterView view(String namespace) throws Exception {
        return cluster.getView(namespace);
    }

    /** The token of the term that it leads with. */
    long token(String namespace) {
        return cluster.leadership(namespace).orElseThrow().fencingToken().value();
    }

    /** The token of the leader that {@code observer} sees. */
    static long tokenSeenBy(ElectionClient observer, String namespace) {
        return observer.election(namespace)
                .view()
                .leader()
                .orElseThrow()
                .token()
                .value();
    }

    void awaitLeads(String namespace) {
        Await.until(cluster.getId() + " to lead " + namespace, PLENTY, () -> cluster.isLeader(namespace));
    }

    @Override
    public void close() {
        camel.stop();
    }
}
