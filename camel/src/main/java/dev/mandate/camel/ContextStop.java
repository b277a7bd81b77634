package dev.mandate.camel;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.support.LifecycleStrategySupport;

/**
 * Keeps a context that stops and a {@code ClusteredRoutePolicy} that hears of a change from waiting for each other: to
 * start or stop a route, the policy takes its own lock and then the route's, while the context takes them the other way
 * round. So a context begins to stop when its policies have returned, and then tells them nothing more. It stops its
 * routes itself.
 */
final class ContextStop extends LifecycleStrategySupport {
    private final Supplier<CompletableFuture<Void>> policies;
    private volatile boolean hasBegun;

    /** {@code policies} completes when no policy is being told of anything. */
    ContextStop(Supplier<CompletableFuture<Void>> policies) {
        this.policies = policies;
    }

    boolean hasBegun() {
        return hasBegun;
    }

    /** Called before Camel takes the lock of the context. */
    @Override
    public void onContextStopping(CamelContext context) {
        hasBegun = true;
        policies.get().join();
    }

    @Override
    public void onContextStarting(CamelContext context) {
        hasBegun = false;
    }
}
