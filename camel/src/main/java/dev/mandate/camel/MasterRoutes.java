package dev.mandate.camel;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.camel.CamelContext;
import org.apache.camel.Route;
import org.apache.camel.StatefulService;
import org.apache.camel.cluster.CamelClusterView;

/**
 * The routes of a namespace that begin with {@code master:}. Their consumers release the view before they stop, and
 * leave exchanges in flight when they lose it. (A route with a {@code ClusteredRoutePolicy} is stopped by the event.)
 */
final class MasterRoutes {
    private static final String SCHEME = "master:";
    private static final long PAUSE_NANOS = 10_000_000;

    private final CamelClusterView view;

    MasterRoutes(CamelClusterView view) {
        this.view = view;
    }

    /** Waits until none of them consumes; whether this was interrupted, which ends nothing. */
    boolean awaitQuiet() {
        boolean interrupted = false;
        while (isBusy()) {
            LockSupport.parkNanos(PAUSE_NANOS);
            interrupted |= Thread.interrupted();
        }
        return interrupted;
    }

    private boolean isBusy() {
        CamelContext context = view.getCamelContext();
        return context != null
                && !context.isStopped()
                && List.copyOf(context.getRoutes()).stream().anyMatch(r -> isOurs(r) && isBusy(context, r));
    }

    private boolean isOurs(Route route) {
        String uri = route.getEndpoint().getEndpointUri();
        return uri.startsWith(SCHEME)
                && uri.substring(SCHEME.length()).replaceFirst("^/+", "").startsWith(view.getNamespace() + ":");
    }

    private static boolean isBusy(CamelContext context, Route route) {
        return context.getInflightRepository().size(route.getId()) > 0
                || route.getConsumer() instanceof StatefulService consumer && consumer.isStopping();
    }
}
