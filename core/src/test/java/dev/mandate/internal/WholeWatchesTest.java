package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionQueue;
import dev.mandate.Order;
import dev.mandate.Queued;
import dev.mandate.QueuesWatch;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServicesWatch;
import dev.mandate.registry.Status;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The queues of all elections and all services, each followed as one; on virtual time, L = 10 s. */
class WholeWatchesTest {
    private static final Duration SOON = Duration.ofSeconds(2);

    static Stream<World> worlds() {
        return Stream.of(
                World.withSessions(),
                World.withRecords(),
                World.judged(),
                new World(VirtualStore.traits(Expiry.OBSERVER_JUDGES, LeaseScope.RECORD)));
    }

    private static List<String> waiting(ElectionQueue queue) {
        return queue.waiting().stream().map(Queued::candidate).toList();
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void allQueuesAreToldInTheirOrder(World world) {
        world.set(Setting.ORDER, Order.ARRIVAL);
        // By incarnation, which is drawn, they would come in any order.
        for (String candidate : List.of("first", "second", "third", "fourth")) {
            Client client = world.client(candidate, world.store.another());
            client.election("e1").campaignAsync("v");
            client.election("e2").campaignAsync("v");
            world.pass(Duration.ofSeconds(5));
        }
        world.settings.remove(Setting.ORDER);
        TreeMap<String, List<String>> told = new TreeMap<>();
        VirtualStore connection = world.store.another();
        Client b = world.client("b", connection);
        QueuesWatch watch = b.watchQueues((now, changed) -> {
            changed.forEach(queue -> told.put(queue.election(), waiting(queue)));
            told.values().removeIf(List::isEmpty);
            assertThat(now.queues()).extracting(ElectionQueue::election).containsExactlyElementsOf(told.keySet());
        });
        assertThat(watch.view().stale()).isTrue();
        world.passUntil(() -> told.size() == 2, SOON);
        List<String> all = List.of("second", "third", "fourth");
        assertThat(told).containsEntry("e1", all).containsEntry("e2", all);
        assertThat(watch.view().stale()).isFalse();
        assertThat(b.election("e1").queue())
                .isEqualTo(watch.view().queues().get(0).waiting());

        Client late = world.set(Setting.ORDER, Order.ARRIVAL).client("late", world.store.another());
        late.election("e2").campaignAsync("v");
        world.passUntil(() -> told.get("e2").size() == 4, World.LEASE);
        assertThat(told).containsEntry("e1", all);
        late.close();
        world.passUntil(() -> told.get("e2").size() == 3, World.LEASE.multipliedBy(2));

        assertThat(connection.requests).containsEntry("watch", 1);
        connection.hangs = true;
        world.pass(Duration.ofMinutes(1));
        assertThat(watch.view().stale()).isTrue();
        assertThat(watch.view().queues()).hasSize(2);
    }

    /** Nobody waits any more. */
    @ParameterizedTest
    @MethodSource("worlds")
    void aQueueInWhichNobodyWaitsIsToldAsEmptyAndThenNotShown(World world) {
        world.set(Setting.ORDER, Order.ARRIVAL);
        Client first = world.client("first");
        first.election("e").campaignAsync("v");
        world.pass(Duration.ofSeconds(5));
        Client second = world.client("second", world.store.another());
        second.election("e").campaignAsync("v");
        TreeMap<String, List<String>> told = new TreeMap<>();
        QueuesWatch watch = world.client("b", world.store.another())
                .watchQueues((now, changed) -> changed.forEach(queue -> told.put(queue.election(), waiting(queue))));
        world.passUntil(() -> told.containsKey("e"));

        second.close();
        world.passUntil(() -> told.get("e").isEmpty());

        assertThat(watch.view().queues()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void allServicesAreToldAsOne(World world) throws Exception {
        Client a = world.client("a");
        Registration web = register(a, "web", "1");
        register(a, "web", "2");
        // As a text this one stands between the two.
        register(a, "web-2", "1");
        register(a, "api", "7");
        TreeMap<String, ServiceView> told = new TreeMap<>();
        VirtualStore connection = world.store.another();
        ServicesWatch watch = world.client("b", connection).registry().watchServices((now, changed) -> {
            changed.forEach(service -> told.put(service.service(), service));
            told.values().removeIf(service -> service.instances().isEmpty());
            assertThat(now.services()).extracting(ServiceView::service).containsExactlyElementsOf(told.keySet());
            now.services()
                    .forEach(service -> assertThat(service.instances())
                            .isEqualTo(told.get(service.service()).instances()));
        });
        assertThat(watch.awaitListed(SOON).services())
                .extracting(ServiceView::service)
                .containsExactly("api", "web", "web-2");
        world.passUntil(() -> told.size() == 3, SOON);
        assertThat(told.get("web").instances())
                .extracting(RegisteredInstance::id)
                .containsExactly("1", "2");

        web.status(Status.DOWN);
        world.passUntil(() -> told.get("web").passing().size() == 1, SOON);
        web.close();
        world.passUntil(() -> told.get("web").instances().size() == 1, SOON);
        a.close();
        world.passUntil(told::isEmpty, SOON);

        assertThat(watch.view().services()).isEmpty();
        assertThat(watch.view().find("web")).isEmpty();
        assertThat(connection.requests).containsEntry("watch", 1);
    }

    private static Registration register(Client client, String service, String id) throws InterruptedException {
        Registration registration = client.registry()
                .register(service, ServiceInstance.at("10.0.0.1:80").withId(id));
        assertThat(registration.awaitRegistered(Duration.ofSeconds(40))).isTrue();
        return registration;
    }

    /** One that this client follows and has registered itself is looked for as soon as it seems to be gone. */
    @ParameterizedTest
    @MethodSource("worlds")
    void anOwnInstanceThatWasDeletedRegistersAgain(World world) throws Exception {
        Client a = world.client("a");
        Registration own = register(a, "web", "1");
        ServicesWatch watch = a.registry().watchServices();
        watch.awaitListed(SOON);

        world.store.delete(RecordKey.registration("web", "1"));
        world.pass(Duration.ofMillis(100));
        world.passUntil(
                () -> watch.view().find("web").isPresent() && own.state().isRegistered(), Duration.ofSeconds(40));
    }
}
