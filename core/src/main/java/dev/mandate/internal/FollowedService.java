package dev.mandate.internal;

import dev.mandate.Leader;
import dev.mandate.engine.FollowingAction;
import dev.mandate.engine.FollowingMachine;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** One service that a client follows. */
final class FollowedService extends FollowedList<RegisteredInstance, ServiceView> {
    private final String service;
    private final Consumer<FollowingAction.Changed<RegisteredInstance>> missed;

    /** Passes all changes to {@code missed}, too, on the loop. */
    FollowedService(
            ClientContext client, String service, Consumer<FollowingAction.Changed<RegisteredInstance>> missed) {
        super(client, "service '" + Leader.printable(service) + "'", FollowingSettings.RECORDS_MAX);
        this.service = service;
        this.missed = missed;
    }

    @Override
    int compare(RegisteredInstance each, RecordKey key) {
        return each.id().compareTo(key.name());
    }

    @Override
    ServiceView view(List<RegisteredInstance> list, Duration age, boolean isStale) {
        return new ServiceView(service, list, age, isStale);
    }

    /** Counts from when all instances were last asked for. */
    @Override
    long agedNanos(FollowingMachine<RegisteredInstance> machine) {
        return machine.confirmedNanos();
    }

    @Override
    public void changed(FollowingAction.Changed<RegisteredInstance> news) {
        super.changed(news);
        missed.accept(news);
    }
}
