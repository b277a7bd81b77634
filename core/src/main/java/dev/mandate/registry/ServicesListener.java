package dev.mandate.registry;

import java.util.List;

/** Called when the instances of any service change; as {@link ServiceListener} otherwise. */
@FunctionalInterface
public interface ServicesListener {
    /**
     * Services have changed, or the view has become stale, or is no longer.
     *
     * @param now the whole
     * @param changed the services that differ from what the call before told, as they are now, by name; one that has no
     *     instance any more is empty. In the first call all services. Empty if nothing changed but
     *     {@link ServicesView#stale()}
     */
    void changed(ServicesView now, List<ServiceView> changed);
}
