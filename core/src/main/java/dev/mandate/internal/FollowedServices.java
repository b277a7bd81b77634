package dev.mandate.internal;

import dev.mandate.engine.FollowingAction;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServicesView;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** All services, followed at once. */
final class FollowedServices extends FollowedList<RegisteredInstance, ServicesView> {
    private final Consumer<FollowingAction.Changed<RegisteredInstance>> missed;

    /** Passes all changes to {@code missed}, too, on the loop. */
    FollowedServices(ClientContext client, Consumer<FollowingAction.Changed<RegisteredInstance>> missed) {
        super(client, "the registry", ALL_MAX);
        this.missed = missed;
    }

    @Override
    int compare(RegisteredInstance each, RecordKey key) {
        int byService = each.service().compareTo(key.segments().get(0));
        return byService != 0 ? byService : each.id().compareTo(key.name());
    }

    @Override
    ServicesView view(List<RegisteredInstance> list, Duration age, boolean isStale) {
        List<ServiceView> services = Lists.runs(
                list, RegisteredInstance::service, (name, instances) -> new ServiceView(name, instances, age, isStale));
        return new ServicesView(services, age, isStale);
    }

    @Override
    public void changed(FollowingAction.Changed<RegisteredInstance> news) {
        super.changed(news);
        missed.accept(news);
    }
}
