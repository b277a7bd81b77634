package dev.mandate.testkit;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionQueue;
import dev.mandate.ElectionsWatch;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Order;
import dev.mandate.Queued;
import dev.mandate.QueuesWatch;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServicesWatch;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Ordered;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whole spaces of keys, followed by a client that takes part in nothing. */
abstract class FollowingCases extends WatchCases {
    private static final Duration USUAL = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private ElectionClient.Builder client(ElectionStore store) {
        Duration lease = traits().leaseMin().compareTo(USUAL) > 0 ? traits().leaseMin() : USUAL;
        return ElectionClient.builder(store)
                .lease(lease.compareTo(traits().leaseMax()) > 0 ? traits().leaseMax() : lease);
    }

    /** A client that follows all elections and services sees what others do there, whatever it has used itself. */
    @Test
    protected void whoFollowsAllElectionsAndServicesSeesWhatOthersDo() throws Exception {
        String first = unique("followed");
        String second = unique("followed");
        String service = unique("service");
        try (ElectionClient follower = client(store()).connect();
                ElectionClient other = client(store()).connect();
                ElectionsWatch elections = follower.watchElections();
                ServicesWatch services = follower.registry().watchServices()) {
            // A busy store takes a while to list everything; after that, hints report changes.
            Await.until(
                    "the lists",
                    PATIENCE,
                    () -> !elections.view().stale() && !services.view().stale());
            Leadership led = campaign(other, first);
            Await.until(
                    "its leader", hintWithin(), () -> value(elections, first).equals("here"));
            led.proclaim("moved");
            Await.until(
                    "its new value", hintWithin(), () -> value(elections, first).equals("moved"));
            Leadership later = campaign(other, second);
            Await.until(
                    "the other leader",
                    hintWithin(),
                    () -> value(elections, second).equals("here"));
            Registration registration = other.registry()
                    .register(service, ServiceInstance.at("host:80").withId("one"));
            Await.until(
                    "its instance", hintWithin(), () -> ids(services, service).equals(List.of("one")));
            led.close();
            Await.until("its vacancy", hintWithin(), () -> elections.view(first) instanceof LeaderView.Vacant);
            registration.close();
            Await.until(
                    "no instance", hintWithin(), () -> ids(services, service).isEmpty());
            later.close();
        }
    }

    private Leadership campaign(ElectionClient client, String election) throws InterruptedException {
        return client.election(election).campaign("here", hintWithin()).orElseThrow();
    }

    private static String value(ElectionsWatch watch, String election) {
        return watch.view(election).leader().map(leader -> leader.value()).orElse("");
    }

    private static List<String> ids(ServicesWatch watch, String service) {
        return watch.view().find(service).map(ServiceView::instances).orElse(List.of()).stream()
                .map(RegisteredInstance::id)
                .toList();
    }

    /** A client that follows all queues sees who waits, and in which order. */
    @Test
    protected void whoFollowsAllQueuesSeesWhoWaits() throws Exception {
        ElectionStore store = store();
        onlyIf(!(store instanceof Ordered), "this store has an order of its own");
        String election = unique("queued");
        try (ElectionClient follower = client(store).connect();
                ElectionClient leader = client(store()).order(Order.ARRIVAL).connect();
                ElectionClient next =
                        client(store()).order(Order.ARRIVAL).candidate("next").connect();
                ElectionClient last =
                        client(store()).order(Order.ARRIVAL).candidate("last").connect();
                QueuesWatch queues = follower.watchQueues()) {
            Leadership led = campaign(leader, election);
            leadOnce(next, election);
            Await.until(
                    "the next", hintWithin(), () -> waiting(queues, election).equals(List.of("next")));
            leadOnce(last, election);
            Await.until(
                    "the last", hintWithin(), () -> waiting(queues, election).equals(List.of("next", "last")));
            led.close();
            Await.until(
                    "an empty queue",
                    hintWithin(),
                    () -> waiting(queues, election).isEmpty());
        }
    }

    /** Leads once, and resigns at once. */
    private static void leadOnce(ElectionClient client, String election) {
        client.election(election).campaignAsync("").thenAccept(Leadership::close);
    }

    private static List<String> waiting(QueuesWatch watch, String election) {
        return watch.view().queues().stream()
                .filter(queue -> queue.election().equals(election))
                .map(ElectionQueue::waiting)
                .flatMap(List::stream)
                .map(Queued::candidate)
                .toList();
    }
}
