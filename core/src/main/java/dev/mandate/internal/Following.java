package dev.mandate.internal;

import dev.mandate.ElectionsListener;
import dev.mandate.ElectionsView;
import dev.mandate.ElectionsWatch;
import dev.mandate.Leader;
import dev.mandate.QueuesListener;
import dev.mandate.QueuesView;
import dev.mandate.QueuesWatch;
import dev.mandate.engine.Entropy;
import dev.mandate.engine.FollowingAction;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.engine.QueueOrder;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceListener;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import dev.mandate.registry.ServicesListener;
import dev.mandate.registry.ServicesView;
import dev.mandate.registry.ServicesWatch;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What one client follows without taking part: services, and the whole of what the store has. */
final class Following {
    private static final RecordKey QUEUES = new RecordKey(RecordKey.QUEUES, List.of());

    private final Entropy entropy;
    private final FollowedPrefixes<RegisteredInstance, ServiceView, FollowedService> services;
    private final FollowedPrefixes<RegisteredInstance, ServicesView, FollowedServices> allServices;
    private final FollowedPrefixes<Leader, ElectionsView, FollowedElections> elections;
    private final FollowedPrefixes<FollowedQueues.Waiting, QueuesView, FollowedQueues> queues;
    private final List<FollowedPrefixes<?, ?, ?>> kinds;

    /**
     * Follows nothing yet.
     *
     * @param missed gets, on the loop, all changes of instances
     */
    Following(ClientContext client, Entropy entropy, Consumer<FollowingAction.Changed<RegisteredInstance>> missed) {
        this.entropy = entropy;
        this.services = new FollowedPrefixes<>(
                client,
                entropy,
                FollowingSettings.RECORDS_MAX,
                prefix -> new FollowedService(client, prefix.name(), missed),
                prefix -> new InstanceReader());
        this.allServices = new FollowedPrefixes<>(
                client,
                entropy,
                FollowedList.ALL_MAX,
                prefix -> new FollowedServices(client, missed),
                prefix -> new InstanceReader());
        this.elections = new FollowedPrefixes<>(
                client,
                entropy,
                FollowedList.ALL_MAX,
                prefix -> new FollowedElections(client),
                prefix -> new LeaderReader());
        this.queues = new FollowedPrefixes<>(
                client,
                entropy,
                FollowedList.ALL_MAX,
                prefix -> new FollowedQueues(client),
                prefix -> new FollowedQueues.Reader(QueueOrder.of(client.traits())));
        this.kinds = List.of(services, allServices, elections, queues);
    }

    ServiceWatch service(String service, ServiceListener listener) {
        Objects.requireNonNull(listener, "listener");
        RecordKey prefix = RecordKey.registrations(service);
        String from = entropy.nextId().toString();
        return services.watch(prefix, (list, closed) -> new WatchedService(list, listener, from, closed));
    }

    /** What is known of a service; null if nobody watches it. */
    @Nullable
    FollowedService known(String service) {
        return services.known(RecordKey.registrations(service));
    }

    ServicesWatch services(ServicesListener listener) {
        Objects.requireNonNull(listener, "listener");
        return allServices.watch(
                RecordKey.registrations(), (list, closed) -> new WatchedServices(list, listener, closed));
    }

    ElectionsWatch elections(ElectionsListener listener) {
        Objects.requireNonNull(listener, "listener");
        return elections.watch(RecordKey.elections(), (list, closed) -> new WatchedElections(list, listener, closed));
    }

    QueuesWatch queues(QueuesListener listener) {
        Objects.requireNonNull(listener, "listener");
        return queues.watch(QUEUES, (list, closed) -> new WatchedQueues(list, listener, closed));
    }

    /** An event failed on the loop, where this is called. */
    void mend() {
        kinds.forEach(FollowedPrefixes::mend);
    }

    /** The client is being closed: stops following. Any thread. */
    void closing() {
        kinds.forEach(FollowedPrefixes::closing);
    }

    /** The calls under way, for the caller to await; no other call begins. */
    List<CompletableFuture<Void>> end() {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        kinds.forEach(kind -> kind.end(running));
        return running;
    }
}
