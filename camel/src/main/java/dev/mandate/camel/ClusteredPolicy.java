package dev.mandate.camel;

import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.camel.cluster.CamelClusterView;
import org.apache.camel.spi.RoutePolicy;

/**
 * What Camel's {@code ClusteredRoutePolicy} belongs to. By reflection: it does not say so, and a program that uses
 * {@code master:} only does not have it.
 */
final class ClusteredPolicy {
    private static final String NAME = "org.apache.camel.impl.cluster.ClusteredRoutePolicy";
    private static final AtomicBoolean IS_REPORTED = new AtomicBoolean();

    private ClusteredPolicy() {}

    /** Whether it starts and stops its routes by this view. */
    static boolean isOf(CamelClusterView view, RoutePolicy policy) {
        try {
            return policy.getClass().getName().equals(NAME)
                    && view.getNamespace().equals(field(policy, "namespace"))
                    && field(policy, "clusterService") == view.getClusterService();
        } catch (ReflectiveOperationException | RuntimeException e) {
            return unreadable(e);
        }
    }

    private static Object field(RoutePolicy policy, String name) throws ReflectiveOperationException {
        Field field = policy.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(policy);
    }

    /** Whether it has not yet heard of a loss: some versions hand it to another thread and return. */
    static boolean believesToLead(RoutePolicy policy) {
        try {
            return Boolean.TRUE.equals(policy.getClass().getMethod("isLeader").invoke(policy));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return unreadable(e);
        }
    }

    private static boolean unreadable(Exception why) {
        if (!IS_REPORTED.getAndSet(true)) {
            Log.warn(
                    "can't read ClusteredRoutePolicy of this version of Camel;"
                            + " a lease may be released before its routes have stopped",
                    why);
        }
        return false;
    }
}
