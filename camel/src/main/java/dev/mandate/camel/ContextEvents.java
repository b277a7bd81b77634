package dev.mandate.camel;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.camel.spi.CamelEvent;
import org.apache.camel.spi.CamelEvent.CamelContextStartedEvent;
import org.apache.camel.spi.CamelEvent.CamelContextStoppingEvent;
import org.apache.camel.support.SimpleEventNotifierSupport;

/**
 * Keeps a {@code ClusteredRoutePolicy} and its context apart while the context starts and stops.
 *
 * <p>A policy that is told of a win during the start of the context begins its routes after it, on the context's thread
 * and without its own lock, and does not notice a loss meanwhile. So it is told when the context has started.
 *
 * <p>To start or stop a route, the policy takes its own lock and then the route's; a context that stops takes them the
 * other way round. So when a context stops, it first waits, for a bounded time, until its policies have returned. From
 * then on they are told nothing; the context stops its routes itself.
 */
final class ContextEvents extends SimpleEventNotifierSupport {
    private final Runnable started;
    private final Supplier<CompletableFuture<Void>> policies;
    private final Supplier<Duration> atMost;
    private volatile boolean isWaiting;

    /**
     * @param started tells the policies who leads
     * @param policies completes when no policy is being told of anything
     * @param atMost how long a context that stops waits for that: a start that hangs must not keep other routes running
     */
    ContextEvents(Runnable started, Supplier<CompletableFuture<Void>> policies, Supplier<Duration> atMost) {
        this.started = started;
        this.policies = policies;
        this.atMost = atMost;
    }

    /** Whether the context has begun to stop, but waits for policies before it stops its routes. */
    boolean isWaiting() {
        return isWaiting;
    }

    @Override
    public boolean isEnabled(CamelEvent event) {
        return event instanceof CamelContextStartedEvent || event instanceof CamelContextStoppingEvent;
    }

    /** Called when the context counts as started, or as stopping but has not yet taken the lock of any route. */
    @Override
    public void notify(CamelEvent event) {
        if (event instanceof CamelContextStartedEvent) {
            started.run();
        } else {
            awaitPolicies();
        }
    }

    private void awaitPolicies() {
        isWaiting = true;
        try {
            // In milliseconds, which don't overflow.
            policies.get()
                    .orTimeout(atMost.get().toMillis(), TimeUnit.MILLISECONDS)
                    .exceptionally(ContextEvents::goOn)
                    .join();
        } finally {
            isWaiting = false;
        }
    }

    private static Void goOn(Throwable why) {
        Log.warn(
                "a policy is still starting or stopping a route; the context goes on with its stop, and may wait for that"
                        + " route for ever",
                why);
        return null;
    }
}
