package dev.mandate.registry;

import java.util.List;

/**
 * Called when the instances of a service change: on the client's executor, one call at a time, in order. The next call
 * reports all that happened during this one, so a slow listener misses no instance, but may miss states that did not
 * last. A listener that blocks delays other listeners by some tenths of a second at most. What it throws is logged and
 * otherwise ignored. There are no calls after {@code close()} of the {@link ServiceWatch} returned.
 */
@FunctionalInterface
public interface ServiceListener {
    /**
     * The instances of the service have changed, or the view became stale or is no longer stale.
     *
     * @param now the whole view
     * @param changes the differences from the previous call; in the first call all instances, as added. Empty if only
     *     {@link ServiceView#stale()} changed
     */
    void changed(ServiceView now, List<ServiceChange> changes);
}
