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
     * By id, what has changed since {@link #known} was made: of several changes of one instance the last one counts. On
     * the loop.
     */
    private final TreeMap<String, FollowedChange<RegisteredInstance>> pending = new TreeMap<>();

    /**
     * What is known.
     *
     * @param view without its age, which passes
     * @param confirmedNanos when the store was asked what it answered last for all instances; when the client was
     *     opened if it never did
     * @param staleAtNanos from when on it is stale if the loop says nothing before: it may hang, or have ended
     * @param isListed whether it ever has
     */
    private record Known(ServiceView view, long confirmedNanos, long staleAtNanos, boolean isListed) {}

    FollowedService(Client client, String service) {
        this.client = client;
        this.service = service;
        this.known = new Known(
                new ServiceView(service, List.of(), Duration.ZERO, true),
                client.openedNanos(),
                client.openedNanos(),
                false);
    }

    String service() {
        return service;
    }

    // ---- on the loop ----

    @Override
    public void changed(FollowingAction.Changed<RegisteredInstance> news) {
        news.changes().forEach(change -> pending.put(change.key().name(), change));
        news.changes().stream()
                .filter(change -> change.after() == null)
                .forEach(change -> client.registrations().missed(change.key()));
    }

    /** Both are sorted by id, and so is what they make. */
    private List<RegisteredInstance> merged(List<RegisteredInstance> before) {
        List<RegisteredInstance> after = new ArrayList<>(before.size() + pending.size());
        int i = 0;
        for (FollowedChange<RegisteredInstance> change : pending.values()) {
            String id = change.key().name();
            while (i < before.size() && before.get(i).id().compareTo(id) < 0) {
                after.add(before.get(i++));
            }
            if (i < before.size() && before.get(i).id().equals(id)) {
                i++;
            }
            if (change.after() != null) {
                after.add(change.after());
            }
        }
        after.addAll(before.subList(i, before.size()));
        return after;
    }

    /** The list is made anew once for all that was heard at a time: it may be long, and the loop renews leases, too. */
    @Override
    public void stepped(FollowingMachine<RegisteredInstance> machine) {
        know(machine, pending.isEmpty() ? known.view.instances() : merged(known.view.instances()));
    }

    @Override
    public void mend(FollowingMachine<RegisteredInstance> machine) {
        List<RegisteredInstance> all = new ArrayList<>(machine.size());
        machine.forEach((key, instance) -> all.add(instance));
        know(machine, all);
    }

    @SuppressWarnings("ReferenceEquality")
    private void know(FollowingMachine<RegisteredInstance> machine, List<RegisteredInstance> instances) {
        Known before = known;
        boolean isListed = machine.isKnown();
        boolean isStale = !isListed || machine.isStale();
        boolean isSame =
                instances == before.view.instances() && before.isListed == isListed && before.view.stale() == isStale;
        ServiceView view = isSame ? before.view : new ServiceView(service, instances, Duration.ZERO, isStale);
        long confirmedNanos = isListed ? machine.confirmedNanos() : before.confirmedNanos;
        long staleAtNanos = isListed ? machine.staleByNanos() : before.staleAtNanos;
        if (!isSame || before.confirmedNanos != confirmedNanos || before.staleAtNanos != staleAtNanos) {
            known = new Known(view, confirmedNanos, staleAtNanos, isListed);
        }
        pending.clear();
        if (isListed) {
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
        long nanos = client.host().nanos();
        return view(now, nanos, now.view.stale() || nanos >= now.staleAtNanos);
    }

    /**
     * As {@link #view}, but stale only once the loop has found that out, which says so then: if an answer is taken
     * first, it is not.
     */
    ServiceView told() {
        Known now = known;
        return view(now, client.host().nanos(), now.view.stale());
    }

    private ServiceView view(Known now, long nanos, boolean isStale) {
        Duration age = Duration.ofNanos(Math.max(0, nanos - now.confirmedNanos));
        return new ServiceView(service, now.view.instances(), age, isStale);
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
