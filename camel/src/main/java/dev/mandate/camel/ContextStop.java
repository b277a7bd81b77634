package dev.mandate.camel;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.camel.spi.CamelEvent;
import org.apache.camel.spi.CamelEvent.CamelContextStoppingEvent;
import org.apache.camel.support.SimpleEventNotifierSupport;

/**
 * Keeps a context that stops and a {@code ClusteredRoutePolicy} that hears of a change from waiting for each other: to
 * start or stop a route, the policy takes its own lock and then the route's, while the context takes them the other way
 * round. So a context that stops first waits until its policies have returned, and tells them nothing more. It stops
 * its routes itself.
 */
final class ContextStop extends SimpleEventNotifierSupport {
    private static final Logger LOGGER = System.getLogger("dev.mandate.camel");

    private final Supplier<CompletableFuture<Void>> policies;
    private final Supplier<Duration> atMost;
    private volatile boolean isWaiting;

    /**
     * @param policies completes when no policy is being told of anything
     * @param atMost how long to wait for that: a route whose start hangs must not keep the others running
     */
    ContextStop(Supplier<CompletableFuture<Void>> policies, Supplier<Duration> atMost) {
        this.policies = policies;
        this.atMost = atMost;
    }

    /** Whether the context waits, and so does not stop its routes yet. */
    boolean isWaiting() {
        return isWaiting;
    }

    @Override
    public boolean isEnabled(CamelEvent event) {
        return event instanceof CamelContextStoppingEvent;
    }

    /** Called when the context counts as stopping, before it takes the lock of any route. */
    @Override
    public void notify(CamelEvent event) {
        isWaiting = true;
        try {
            policies.get()
                    .orTimeout(atMost.get().toNanos(), TimeUnit.NANOSECONDS)
                    .exceptionally(ContextStop::goOn)
                    .join();
        } finally {
            isWaiting = false;
        }
    }

    private static Void goOn(Throwable why) {
        LOGGER.log(
                Level.WARNING,
                "a route is still being started or stopped after the timeout of Camel's shutdown strategy;"
                        + " the context may wait for it for ever");
        return null;
    }
}
