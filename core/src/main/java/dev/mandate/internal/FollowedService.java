package dev.mandate.internal;

import dev.mandate.Leader;
import dev.mandate.engine.FollowedChange;
import dev.mandate.engine.FollowingAction;
import dev.mandate.engine.FollowingMachine;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One service that a client follows, for all who watch it there. */
final class FollowedService implements FollowedPrefix.Audience<RegisteredInstance> {
    private final Client client;
    private final String service;

    /** Replaced as a whole, on the loop. */
    private volatile Known known;

    /** Whoever changes it has the registry's monitor. */
    private volatile List<WatchedService> watches = List.of();

    /**
     * What is known.
     *
     * @param view without its age, which passes
     * @param confirmedNanos when the store was asked what it answered last for all instances
     * @param isListed whether it ever has
     */
    private record Known(ServiceView view, long confirmedNanos, boolean isListed) {}

    FollowedService(Client client, String service) {
        this.client = client;
        this.service = service;
        this.known = new Known(new ServiceView(service, List.of(), Duration.ZERO, true), client.openedNanos(), false);
    }

    String service() {
        return service;
    }

    // ---- on the loop ----

    @Override
    public void changed(FollowingAction.Changed<RegisteredInstance> news) {
        TreeMap<String, FollowedChange<RegisteredInstance>> changes = new TreeMap<>();
        // Of several of one instance the last one counts.
        news.changes().forEach(change -> changes.put(change.key().name(), change));
        news.changes().stream()
                .filter(change -> change.after() == null)
                .forEach(change -> client.registrations().missed(change.key()));
        Known before = known;
        known = new Known(
                new ServiceView(service, merged(before.view.instances(), changes), Duration.ZERO, before.view.stale()),
                before.confirmedNanos,
                before.isListed);
    }

    @Override
    public void whole(FollowingMachine<RegisteredInstance> machine) {
        List<RegisteredInstance> all = new ArrayList<>();
        machine.forEach((key, instance) -> all.add(instance));
        Known before = known;
        known = new Known(
                new ServiceView(service, all, Duration.ZERO, before.view.stale()),
                before.confirmedNanos,
                before.isListed);
    }

    /** Both are sorted by id, and so is what they make. */
    private static List<RegisteredInstance> merged(
            List<RegisteredInstance> before, TreeMap<String, FollowedChange<RegisteredInstance>> changes) {
        List<RegisteredInstance> after = new ArrayList<>(before.size() + changes.size());
        for (RegisteredInstance each : before) {
            while (!changes.isEmpty() && changes.firstKey().compareTo(each.id()) < 0) {
                add(changes, after);
            }
            if (changes.isEmpty() || !changes.firstKey().equals(each.id())) {
                after.add(each);
            } else {
                add(changes, after);
            }
        }
        while (!changes.isEmpty()) {
            add(changes, after);
        }
        return after;
    }

    private static void add(
            TreeMap<String, FollowedChange<RegisteredInstance>> changes, List<RegisteredInstance> after) {
        RegisteredInstance instance = changes.pollFirstEntry().getValue().after();
        if (instance != null) {
            after.add(instance);
        }
    }

    @Override
    public void stepped(FollowingMachine<RegisteredInstance> machine) {
        Known before = known;
        boolean isStale = !machine.isKnown() || machine.isStale();
        if (before.isListed != machine.isKnown()
                || before.confirmedNanos != machine.confirmedNanos()
                || before.view.stale() != isStale) {
            ServiceView view = before.view.stale() == isStale
                    ? before.view
                    : new ServiceView(service, before.view.instances(), Duration.ZERO, isStale);
            known = new Known(view, machine.confirmedNanos(), machine.isKnown());
        }
        if (machine.isKnown()) {
            watches.forEach(WatchedService::look);
        }
    }

    /** It is told what is known already. */
    void begun(WatchedService watch) {
        if (known.isListed) {
            watch.look();
        }
    }

    @Override
    public void full(boolean isFull) {
        client.journal()
                .warn(
                        isFull
                                ? "service '" + Leader.printable(service) + "' has more than "
                                        + FollowingSettings.RECORDS_MAX
                                        + " instances, which is the limit; those that came first are followed"
                                : "service '" + Leader.printable(service) + "' is followed whole again",
                        null);
    }

    @Override
    public void fault(@Nullable String message) {
        client.journal()
                .warn(
                        message == null
                                ? "service '" + Leader.printable(service) + "' is listed again"
                                : "service '" + Leader.printable(service) + "' cannot be listed: " + message,
                        null);
    }

    // ---- on any thread ----

    /** The newest; its age is 0. */
    ServiceView newest() {
        return known.view;
    }

    /** The newest, with its age. */
    ServiceView view() {
        Known now = known;
        long age = Math.max(0, client.host().nanos() - now.confirmedNanos);
        return new ServiceView(service, now.view.instances(), Duration.ofNanos(age), now.view.stale());
    }

    /** Whether the store has ever answered for all instances. */
    boolean isListed() {
        return known.isListed;
    }

    List<WatchedService> watches() {
        return watches;
    }

    void add(WatchedService watch) {
        watches = Lists.with(watches, watch);
    }

    void remove(WatchedService watch) {
        watches = Lists.without(watches, watch);
    }
}
