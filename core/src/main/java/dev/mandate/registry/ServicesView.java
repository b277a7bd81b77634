package dev.mandate.registry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What is known of all services. Immutable; ask again for a newer one. Created by a {@link Registry}; later versions
 * may add members, which changes the constructor.
 *
 * @param services those that have an instance, whatever its status, by name. Each has the age of the whole view
 * @param age how long ago the store last listed all of them. Hints do not count, so parts of the view may be newer
 * @param stale true if the store has not confirmed the list for a lease, or never did. A stale view is
 *     the last known list
 */
public record ServicesView(List<ServiceView> services, Duration age, boolean stale) {
    public ServicesView {
        services = List.copyOf(services);
    }

    /** The service of that name, if it has an instance. */
    public Optional<ServiceView> find(String service) {
        return services.stream().filter(each -> each.service().equals(service)).findFirst();
    }
}
