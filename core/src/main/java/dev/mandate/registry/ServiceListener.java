package dev.mandate.registry;

import java.util.List;

/**
 * Called when the instances of a service change: on the client's executor, one call at a time, in order. What happens
 * during a call is told by the next one, all of it at once, so a slow listener misses no instance, but may miss states
 * that did not last. One that blocks keeps other listeners waiting for some tenths of a second at most. What it
 * throws is logged and changes nothing. Nothing is called after {@code close()} of the {@link ServiceWatch} returned.
 */
@FunctionalInterface
public interface ServiceListener {
    /**
     * The instances of the service have changed, or the view has become stale, or is no longer.
     *
     * @param now the whole
     * @param changes what is different from what the call before told; in the first call all instances, as added. Empty
     *     if nothing changed but {@link ServiceView#stale()}
     */
    void changed(ServiceView now, List<ServiceChange> changes);
}
