package dev.mandate.internal;

import dev.mandate.Leader;
import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.Entropy;
import dev.mandate.engine.FollowingMachine;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceListener;
import dev.mandate.registry.ServiceView;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one client finds out about services: those that it follows, and what it lists for a caller who waits. Needs no
 * right to write, and no session.
 */
final class Discovery {
    private static final int SERVICES_MAX = 100_000;

    private final Client client;
    private final ElectionStore store;
    private final Entropy entropy;

    /** Guarded by this. */
    private final Map<String, Followed> followed = new HashMap<>();

    private record Followed(FollowedService service, FollowedPrefix<RegisteredInstance> prefix) {}

    Discovery(Client client, ElectionStore store, Entropy entropy) {
        this.client = client;
        this.store = store;
        this.entropy = entropy;
    }

    // ---- following ----

    WatchedService watch(String service, ServiceListener listener) {
        Objects.requireNonNull(listener, "listener");
        RecordKey prefix = RecordKey.registrations(service);
        client.requireOpen();
        String from = entropy.nextId().toString();
        Followed shared;
        WatchedService watch;
        synchronized (this) {
            shared = followed.computeIfAbsent(service, name -> follow(name, prefix));
            watch = new WatchedService(client, shared.service, listener, from, one -> unwatch(shared, one));
            shared.service.add(watch);
        }
        boolean isTaken = false;
        try {
            // Starting twice is starting once; whoever comes later is told what is known.
            isTaken = client.loop().command(now -> {
                shared.prefix.start(now);
                shared.service.begun(watch);
            });
        } finally {
            if (!isTaken) {
                unwatch(shared, watch);
            }
        }
        if (!isTaken) {
            throw client.closedException();
        }
        return watch;
    }

    private Followed follow(String service, RecordKey prefix) {
        FollowingSettings settings =
                new FollowingSettings(client.timing(), client.traits().expiry(), FollowingSettings.RECORDS_MAX);
        FollowingMachine<RegisteredInstance> machine =
                new FollowingMachine<>(prefix, settings, new InstanceReader(service), entropy);
        FollowedService followed = new FollowedService(client, service);
        return new Followed(followed, new FollowedPrefix<>(client, store, machine, followed));
    }

    private void unwatch(Followed which, WatchedService watch) {
        boolean isLast;
        synchronized (this) {
            which.service.remove(watch);
            isLast = which.service.watches().isEmpty() && followed.remove(which.service.service(), which);
        }
        if (isLast) {
            client.loop().post(now -> which.prefix.close());
        }
    }

    // ---- asking once ----

    ServiceView instances(String service) {
        RecordKey prefix = RecordKey.registrations(service);
        FollowedService known = followed(service);
        if (known != null && known.isListed()) {
            return known.view();
        }
        boolean isVerified = client.traits().expiry() == Expiry.STORE_REMOVES;
        TreeMap<String, RegisteredInstance> found = new TreeMap<>();
        long began = client.host().nanos();
        String what = "list the instances of service '" + Leader.printable(service) + "'";
        list(what, prefix, seen -> {
            if (seen instanceof Observation.Held held && InstanceReader.isInstance(held.key())) {
                found.put(held.key().name(), Instances.of(held, isVerified));
                requireFew(what, found.size(), FollowingSettings.RECORDS_MAX);
            }
        });
        Duration age = Duration.ofNanos(Math.max(0, client.host().nanos() - began));
        return new ServiceView(service, new ArrayList<>(found.values()), age, false);
    }

    private synchronized @Nullable FollowedService followed(String service) {
        client.requireOpen();
        Followed found = followed.get(service);
        return found == null ? null : found.service;
    }

    List<String> services() {
        TreeSet<String> names = new TreeSet<>();
        list("list the services", RecordKey.registrations(), seen -> {
            if (seen instanceof Observation.Held held && InstanceReader.isInstance(held.key())) {
                names.add(held.key().segments().get(0));
                requireFew("list the services", names.size(), SERVICES_MAX);
            }
        });
        return List.copyOf(names);
    }

    private void list(String what, RecordKey prefix, Consumer<Observation> each) {
        if (!client.inquiries().list(what, prefix, each)) {
            throw new StoreUnavailableException(client.storeName() + " showed no last page when asked to " + what);
        }
    }

    private static void requireFew(String what, int found, int most) {
        if (found > most) {
            throw new IllegalStateException("asked to " + what + ", and found more than " + most
                    + ", which is the limit; spread them over several stores or prefixes");
        }
    }

    /** An event failed on the loop, where this is called. */
    void mend() {
        all().forEach(each -> each.prefix.mend());
    }

    // ---- the end ----

    /** The client is being closed: nothing is followed any more. Any thread. */
    void closing() {
        all().forEach(each -> client.loop().post(now -> each.prefix.close()));
    }

    private synchronized List<Followed> all() {
        return List.copyOf(followed.values());
    }

    /** What is being told, to be waited for; nothing is told from here on. */
    List<CompletableFuture<Void>> end() {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (Followed each : all()) {
            for (WatchedService watch : each.service.watches()) {
                CompletableFuture<Void> call = watch.end();
                if (call != null) {
                    running.add(call);
                }
            }
        }
        return running;
    }
}
