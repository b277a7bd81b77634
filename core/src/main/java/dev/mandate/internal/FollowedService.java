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

/** One service that a client follows. */
final class FollowedService extends FollowedList<RegisteredInstance, ServiceView> {
    private final String service;

    FollowedService(Client client, String service) {
        super(client, "service '" + Leader.printable(service) + "'", FollowingSettings.RECORDS_MAX);
        this.service = service;
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
        client().registrations().missed(news);
    }
}
