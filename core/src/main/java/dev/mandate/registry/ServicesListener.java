package dev.mandate.registry;

import java.util.List;

/** Called when the instances of any service change; otherwise like {@link ServiceListener}. */
@FunctionalInterface
public interface ServicesListener {
    /**
     * Services have changed, or the view became stale or is no longer stale.
     *
     * @param now the whole view
     * @param changed the services that differ from the previous call, as they are now, by name; a service without
     *     instances is empty. In the first call all services. Empty if only {@link ServicesView#stale()} changed
     */
    void changed(ServicesView now, List<ServiceView> changed);
}
