package dev.mandate.registry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What is known of all services. Immutable; ask again for a newer one. Comes from a {@link Registry}: members may be
 * added, which changes the constructor.
 *
 * @param services those that have an instance, whatever its status, by name. Each has the age of the whole
 * @param age how long ago the store last answered for all of them. What a watch tells is no answer: some of this may be
 *     younger
 * @param stale true if the store has not confirmed the list for a lease, or never did. A stale view is the last known
 *     list
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
