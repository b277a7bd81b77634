package dev.mandate.camel;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.Consumer;
import org.apache.camel.Route;
import org.apache.camel.ServiceStatus;
import org.apache.camel.ShutdownRoute;
import org.apache.camel.StatefulService;
import org.apache.camel.Suspendable;
import org.apache.camel.spi.RoutePolicy;
import org.apache.camel.spi.ShutdownAware;
import org.apache.camel.support.service.ServiceHelper;
import org.jspecify.annotations.Nullable;

/**
 * The routes of a namespace, after a loss.
 *
 * <p>Those with a {@code ClusteredRoutePolicy} are stopped by it. A context stops one route at a time and waits for its
 * exchanges, so the consumers of all are halted first, as Camel does it when it stops a route. Otherwise those that
 * wait for their turn would begin new exchanges. Camel makes a new consumer when it starts a route again.
 *
 * <p>The consumers of {@code master:} routes release the view before they stop, and leave exchanges in flight when they
 * lose it.
 */
final class ClusteredRoutes {
    private static final String SCHEME = "master:";
    private static final long PAUSE_NANOS = 10_000_000;
    /** How often it looks, at most, before it tries again what was refused or has failed. */
    private static final int LOOKS_PER_TRY = 100;

    private final MandateClusterView view;
    private final ThreadFactory threads;
    /**
     * The consumers that were halted since the loss, and the thread that does it: still in state NEW if its start was
     * refused.
     */
    private final Map<Consumer, Thread> halting = new IdentityHashMap<>();
    /** What is said if something throws. Made beforehand: there may be no memory then. */
    private final String failure;
    /** In this wait: completes when the listeners have returned; null until they were told. */
    private @Nullable Future<Void> told;
    /** In this wait. */
    private boolean isFailureSaid;

    ClusteredRoutes(MandateClusterView view, ThreadFactory threads) {
        this.view = view;
        this.threads = threads;
        this.failure = "an error while the routes of " + view.getNamespace()
                + " are stopped; keeps the lease, and tries again";
    }

    /**
     * Tells the listeners, halts the routes, and waits until none of them consumes and the listeners have returned;
     * whether this was interrupted, which ends nothing. Does not throw: when it returns, the lease is released. Called
     * by one thread at a time.
     *
     * @param tell tells the listeners of the loss; completes when they have returned
     * @param wake tells those listeners for which there was no thread
     */
    boolean awaitQuiet(Supplier<Future<Void>> tell, Runnable wake) {
        told = null;
        isFailureSaid = false;
        boolean interrupted = false;
        tell(tell);
        for (int looks = 1; isBusy() || !isTold(); looks = looks % LOOKS_PER_TRY + 1) {
            LockSupport.parkNanos(PAUSE_NANOS);
            interrupted |= Thread.interrupted();
            if (looks == LOOKS_PER_TRY) {
                tell(tell);
                tryAgain(wake);
            }
        }
        halting.clear();
        return interrupted;
    }

    /** Unless it has done so in this wait. */
    private void tell(Supplier<Future<Void>> tell) {
        try {
            if (told == null) {
                told = tell.get();
            }
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** To start the threads that were refused. */
    private void tryAgain(Runnable wake) {
        try {
            halting.values().removeIf(t -> t.getState() == Thread.State.NEW);
            wake.run();
        } catch (Throwable e) {
            failed(e);
        }
    }

    private boolean isTold() {
        @Nullable Future<Void> now = told;
        return now != null && now.isDone();
    }

    /** Once in a wait: the next look comes in a moment. */
    private void failed(Throwable why) {
        if (!isFailureSaid) {
            isFailureSaid = true;
            Log.warn(failure, why);
        }
    }

    /** If that is unknown, they count as busy. */
    private boolean isBusy() {
        try {
            return isAnyBusy();
        } catch (Throwable e) {
            failed(e);
            return true;
        }
    }

    private boolean isAnyBusy() {
        boolean isBusy = halting.values().stream().anyMatch(Thread::isAlive);
        CamelContext context = view.getCamelContext();
        if (context == null) {
            return isBusy;
        }
        if (context.isStopping() || context.isStopped()) {
            // Of all routes: it forgets those that it has given up, and what they have in flight counts only here.
            isBusy |= context.getInflightRepository().size() > 0;
        }
        for (Route route : List.copyOf(context.getRoutes())) {
            isBusy |= isBusy(context, route);
        }
        return isBusy;
    }

    /** One that cannot be looked at keeps no other from being halted. */
    private boolean isBusy(CamelContext context, Route route) {
        try {
            Optional<RoutePolicy> policy = policy(route);
            return policy.isPresent()
                    ? isBusy(context, route, policy.get())
                    : isMaster(route)
                            && (isInFlight(context, route) || status(route).isStopping());
        } catch (Throwable e) {
            failed(e);
            return true;
        }
    }

    private Optional<RoutePolicy> policy(Route route) {
        List<RoutePolicy> all = route.getRoutePolicyList();
        return all == null
                ? Optional.empty()
                : all.stream().filter(p -> ClusteredPolicy.isOf(view, p)).findFirst();
    }

    private boolean isMaster(Route route) {
        String uri = route.getEndpoint().getEndpointUri();
        return uri.startsWith(SCHEME)
                && uri.substring(SCHEME.length()).replaceFirst("^/+", "").startsWith(view.getNamespace() + ":");
    }

    private boolean isBusy(CamelContext context, Route route, RoutePolicy policy) {
        // A context that stops its routes halts them itself, and its policies hear of nothing any more.
        boolean believesToLead = !context.isStopping() && ClusteredPolicy.believesToLead(policy);
        if (!context.isStopping() || view.awaitsPolicies()) {
            haltOnce(route);
        }
        return believesToLead || isInFlight(context, route) || isConsuming(route);
    }

    private static boolean isInFlight(CamelContext context, Route route) {
        return context.getInflightRepository().size(route.getId()) > 0;
    }

    /** Whether it takes exchanges, or is about to hand over one that it has taken. */
    private static boolean isConsuming(Route route) {
        ServiceStatus status = status(route);
        return status.isStarting()
                || status.isStarted()
                || status.isSuspending()
                || status.isStopping()
                || status.isSuspended()
                        && route.getConsumer() instanceof ShutdownAware consumer
                        && consumer.getPendingExchangesSize() > 0;
    }

    /** Of its consumer. While Camel waits for exchanges in flight, the route itself counts as started. */
    private static ServiceStatus status(Route route) {
        return route.getConsumer() instanceof StatefulService consumer ? consumer.getStatus() : ServiceStatus.Stopped;
    }

    /** On a thread of its own: some consumers wait for what they have begun. */
    private void haltOnce(Route route) {
        Consumer consumer = route.getConsumer();
        if (status(route).isStarted() && !halting.containsKey(consumer)) {
            Thread thread = threads.newThread(() -> halt(route, consumer));
            thread.setName("mandate-camel-halt-" + route.getId());
            thread.setDaemon(true);
            halting.put(consumer, thread);
            try {
                thread.start();
            } catch (Throwable e) {
                // There is no memory for it. The route is waited for as long as it consumes, so the lease is kept.
                Log.warn("no thread to halt route " + route.getId() + "; tries again", e);
            }
        }
    }

    private void halt(Route route, Consumer consumer) {
        try {
            boolean isDeferred = route.getShutdownRoute() == ShutdownRoute.Defer
                    || consumer instanceof ShutdownAware aware && aware.deferShutdown(route.getShutdownRunningTask());
            if (isDeferred) {
                // Others need it to end what they have begun; it stops when its turn comes.
                return;
            }
            if (consumer instanceof Suspendable) {
                ServiceHelper.suspendService(consumer);
            } else {
                ServiceHelper.stopService(consumer);
            }
        } catch (Throwable e) {
            Log.warn("can't halt route " + route.getId() + "; Camel stops it later", e);
        }
    }
}
