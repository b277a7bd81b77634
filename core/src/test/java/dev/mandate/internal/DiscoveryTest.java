package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceChange;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceListener;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import dev.mandate.registry.Status;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Hint;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Services that are followed and listed, on the real loop and virtual time; L = 10 s. */
class DiscoveryTest {
    private static final Duration SOON = Duration.ofSeconds(2);

    static Stream<World> worlds() {
        return Stream.of(
                World.withSessions(),
                World.withRecords(),
                World.judged(),
                new World(VirtualStore.traits(Expiry.OBSERVER_JUDGES, LeaseScope.RECORD)));
    }

    private static ServiceInstance instance(String id) {
        return ServiceInstance.at("10.0.0." + id + ":80").withId(id);
    }

    private static Registration register(World world, Client client, String id) throws InterruptedException {
        Registration registration = client.registry().register("web", instance(id));
        assertThat(registration.awaitRegistered(Duration.ofSeconds(40))).isTrue();
        return registration;
    }

    /** What it is told, and what follows from that. */
    private static final class Told implements ServiceListener {
        final List<String> changes = new ArrayList<>();
        final TreeMap<String, RegisteredInstance> listed = new TreeMap<>();
        ServiceView now;
        int calls;
        Runnable onCall = () -> {};

        @Override
        public void changed(ServiceView view, List<ServiceChange> news) {
            onCall.run();
            calls++;
            now = view;
            for (ServiceChange change : news) {
                String id = change.instance().id();
                changes.add(change.kind() + " " + id);
                boolean isNew = change.kind() == ServiceChange.Kind.ADDED;
                assertThat(listed.containsKey(id)).isNotEqualTo(isNew);
                if (change.kind() == ServiceChange.Kind.REMOVED) {
                    listed.remove(id);
                } else {
                    listed.put(id, change.instance());
                }
            }
            assertThat(view.instances()).isEqualTo(new ArrayList<>(listed.values()));
        }

        Set<String> ids() {
            return listed.keySet();
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aListenerIsToldTheWholeFirstThenWhatChanges(World world) throws Exception {
        Client a = world.client("a");
        Registration first = register(world, a, "1");
        Told told = new Told();
        ServiceWatch watch = world.client("b", world.store.another()).registry().watch("web", told);
        assertThat(watch.view().stale()).isTrue();
        assertThat(watch.view().instances()).isEmpty();
        world.passUntil(() -> told.calls == 1, SOON);
        assertThat(told.changes).containsExactly("ADDED 1");
        assertThat(told.now.stale()).isFalse();
        assertThat(told.now.service()).isEqualTo("web");

        Registration second = register(world, a, "2");
        world.passUntil(() -> told.ids().size() == 2, SOON);
        first.status(Status.DOWN);
        world.passUntil(() -> told.listed.get("1").status() == Status.DOWN, SOON);
        assertThat(told.now.passing()).extracting(RegisteredInstance::id).containsExactly("2");
        second.close();
        world.passUntil(() -> told.ids().equals(Set.of("1")), SOON);

        assertThat(watch.view().instances()).isEqualTo(told.now.instances());
        assertThat(watch.next()).isEmpty();
    }

    /** "No write rights, no session": it asks for nothing else. */
    @ParameterizedTest
    @MethodSource("worlds")
    void whoOnlyLooksWritesNothingAndOpensNoSession(World world) throws Exception {
        register(world, world.client("a"), "1");
        VirtualStore connection = world.store.another();
        Client b = world.client("b", connection);

        b.registry().watch("web", new Told());
        world.pass(Duration.ofMinutes(3));
        b.registry().instances("other");
        b.registry().services();

        boolean isWatched = connection.traits().expiry() == Expiry.STORE_REMOVES;
        assertThat(connection.requests.keySet())
                .isEqualTo(isWatched ? Set.of("list", "watch", "read") : Set.of("list", "watch"));
        assertThat(connection.requests.getOrDefault("read", 0))
                .as("one record every L/2, unless it lists")
                .isBetween(isWatched ? 28 : 0, isWatched ? 40 : 0);
        boolean isJudged = world.store.traits().expiry() == Expiry.OBSERVER_JUDGES;
        assertThat(connection.requests.get("list") - 2)
                .as("every L/4, or every record check interval; less a tenth at most")
                .isBetween(isJudged ? 72 : 6, isJudged ? 82 : 9);
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void oneThatDiesIsGoneByTheBound(World world) throws Exception {
        register(world, world.client("a"), "1");
        Client c = world.client("c");
        register(world, c, "2");
        Told told = new Told();
        world.client("b", world.store.another()).registry().watch("web", told);
        world.passUntil(() -> told.ids().size() == 2, SOON);

        world.host.stall("mandate-loop-c");
        Duration lease = world.store.traits().leaseScope() == LeaseScope.RECORD
                        && world.store.traits().expiry() == Expiry.STORE_REMOVES
                ? Duration.ofSeconds(30)
                : World.LEASE;
        // This store tells of no end of a lease, so a listing has to show it.
        world.passUntil(() -> told.ids().equals(Set.of("1")), lease.plusSeconds(32));

        world.pass(Duration.ofMinutes(2));
        assertThat(told.ids()).containsExactly("1");
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void whileTheStoreIsAwayTheListStaysAndIsStaleAfterALease(World world) throws Exception {
        register(world, world.client("a"), "1");
        VirtualStore connection = world.store.another();
        Told told = new Told();
        ServiceWatch watch = world.client("b", connection).registry().watch("web", told);
        world.passUntil(() -> told.calls == 1, SOON);
        world.pass(Duration.ofSeconds(40));
        assertThat(told.now.stale()).isFalse();

        connection.hangs = true;
        world.passUntil(() -> told.now.stale(), World.LEASE.plusMillis(1));

        world.pass(Duration.ofMinutes(10));
        assertThat(told.ids()).containsExactly("1");
        assertThat(watch.view().instances()).hasSize(1);
        assertThat(watch.view().stale()).isTrue();
        assertThat(watch.view().age()).isGreaterThan(Duration.ofMinutes(10));
        assertThat(watch.next()).as("better than none").isPresent();
        connection.hangs = false;
        world.passUntil(() -> !told.now.stale(), Duration.ofSeconds(5));
        assertThat(told.ids()).containsExactly("1");
        assertThat(told.changes).doesNotContain("REMOVED 1");
    }

    @Test
    void aGapIsNoBlank() throws Exception {
        World world = World.withSessions();
        register(world, world.client("a"), "1");
        VirtualStore connection = world.store.another();
        Told told = new Told();
        world.client("b", connection).registry().watch("web", told);
        world.passUntil(() -> told.calls == 1, SOON);
        world.pass(SOON);

        connection.hint(Hint.Gap.INSTANCE);
        world.pass(SOON);

        assertThat(told.changes).containsExactly("ADDED 1");
        assertThat(connection.requests.get("list")).isEqualTo(2);
    }

    /** What comes is found by listing until the watch is back, and then by hints again. */
    @Test
    void aWatchThatBreaksIsOpenedAgain() throws Exception {
        World world = World.withSessions();
        Client a = world.client("a");
        VirtualStore connection = world.store.another();
        Told told = new Told();
        world.client("b", connection).registry().watch("web", told);
        world.passUntil(() -> told.calls == 1, SOON);
        connection.hasNoWatch = true;
        connection.hint(new Hint.Closed("for a test"));
        register(world, a, "1");

        world.passUntil(() -> told.ids().size() == 1, Duration.ofSeconds(4));
        connection.hasNoWatch = false;
        world.pass(Duration.ofMinutes(1));
        register(world, a, "2");
        world.passUntil(() -> told.ids().size() == 2, Duration.ofMillis(100));

        assertThat(world.logged(line -> line.contains("watch lost, falling back to polling: for a test")))
                .isNotEmpty();
    }

    @Test
    void allWhoWatchShareOneListingAndOneWatch() throws Exception {
        World world = World.withSessions();
        register(world, world.client("a"), "1");
        VirtualStore connection = world.store.another();
        Client b = world.client("b", connection);
        List<Told> all = new ArrayList<>();
        List<ServiceWatch> watches = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Told told = new Told();
            all.add(told);
            watches.add(b.registry().watch("web", told));
            world.pass(Duration.ofMillis(i < 3 ? 0 : 100));
        }
        world.pass(SOON);
        assertThat(all).allSatisfy(told -> assertThat(told.changes).containsExactly("ADDED 1"));
        assertThat(connection.requests).containsEntry("list", 1).containsEntry("watch", 1);
        List<String> unwatched = new ArrayList<>();
        connection.onUnwatch = () -> unwatched.add("closed");

        for (ServiceWatch watch : watches) {
            assertThat(unwatched).isEmpty();
            watch.close();
            watch.close();
            world.host.settle();
        }

        assertThat(unwatched).containsExactly("closed");
        world.pass(Duration.ofMinutes(5));
        assertThat(connection.requests).as("nobody follows any more").containsEntry("list", 1);
        b.registry().watch("web", all.get(0));
        world.pass(SOON);
        assertThat(connection.requests).containsEntry("list", 2).containsEntry("watch", 2);
    }

    @Test
    void whoIsClosedIsToldNothingMore() throws Exception {
        World world = World.withSessions();
        Client a = world.client("a");
        Told closed = new Told();
        Told other = new Told();
        Client b = world.client("b", world.store.another());
        ServiceWatch watch = b.registry().watch("web", closed);
        b.registry().watch("web", other);
        world.passUntil(() -> other.calls == 1 && closed.calls == 1, SOON);

        watch.close();
        register(world, a, "1");
        world.passUntil(() -> other.ids().size() == 1, SOON);

        assertThat(closed.calls).isEqualTo(1);
        b.close();
        register(world, a, "2");
        world.pass(SOON);
        assertThat(other.ids()).containsExactly("1");
        assertThatIllegalStateException().isThrownBy(() -> b.registry().watch("web", other));
        assertThatIllegalStateException().isThrownBy(() -> b.registry().instances("web"));
        assertThatIllegalStateException().isThrownBy(() -> b.registry().services());
    }

    /** One call at a time, and what happens during it is told at once by the next. */
    @Test
    void aSlowListenerIsToldOfTheNewestState() throws Exception {
        World world = World.withSessions();
        Client a = world.client("a");
        Told told = new Told();
        List<Registration> registrations = new ArrayList<>();
        world.client("b", world.store.another()).registry().watch("web", told);
        world.passUntil(() -> told.calls == 1, SOON);
        told.onCall = () -> {
            told.onCall = () -> {};
            // Nothing else is told while it is inside, however long.
            for (int i = 2; i < 6; i++) {
                registrations.add(a.registry().register("web", instance("" + i)));
            }
            world.pass(Duration.ofSeconds(1));
            registrations.get(0).status(Status.DOWN);
            registrations.get(1).close();
            world.pass(Duration.ofSeconds(1));
            assertThat(told.calls).isEqualTo(1);
        };

        register(world, a, "1");
        world.passUntil(() -> told.ids().equals(Set.of("1", "2", "4", "5")), SOON);

        assertThat(told.calls).isLessThanOrEqualTo(4);
        assertThat(told.listed.get("2").status()).isEqualTo(Status.DOWN);
    }

    @Test
    void whatAListenerThrowsIsLoggedAndChangesNothing() throws Exception {
        World world = World.withSessions();
        Client a = world.client("a");
        Told told = new Told();
        Client b = world.client("b", world.store.another());
        b.registry().watch("web", (now, changes) -> {
            throw new IllegalStateException("mine");
        });
        b.registry().watch("web", told);

        register(world, a, "1");
        world.passUntil(() -> told.ids().size() == 1, SOON);

        assertThat(world.logged(line -> line.contains("a listener threw") && line.contains("mine")))
                .isNotEmpty();
    }

    // ---- asking ----

    @ParameterizedTest
    @MethodSource("worlds")
    void whoDoesNotWatchIsToldByTheStore(World world) throws Exception {
        Client a = world.client("a");
        for (int i = 1; i < 8; i++) {
            register(world, a, "" + i);
        }
        a.registry().register("webapp", instance("9")).awaitRegistered(SOON);
        VirtualStore connection = world.store.another();
        connection.pageItems = 3;
        Client b = world.client("b", connection);

        ServiceView view = b.registry().instances("web");

        assertThat(view.instances())
                .extracting(RegisteredInstance::id)
                .containsExactly("1", "2", "3", "4", "5", "6", "7");
        assertThat(view.stale()).isFalse();
        assertThat(view.age()).isLessThan(Duration.ofSeconds(1));
        assertThat(view.instances().get(0).verified())
                .isEqualTo(world.store.traits().expiry() == Expiry.STORE_REMOVES);
        assertThat(b.registry().services()).containsExactly("web", "webapp");
        assertThat(b.registry().instances("nothing").instances()).isEmpty();
    }

    @Test
    void whoWatchesIsToldWhatIsKnown() throws Exception {
        World world = World.withSessions();
        register(world, world.client("a"), "1");
        VirtualStore connection = world.store.another();
        Client b = world.client("b", connection);
        b.registry().watch("web");
        world.pass(SOON);
        connection.hangs = true;

        assertThat(b.registry().instances("web").instances()).hasSize(1);
        assertThat(connection.requests).containsEntry("list", 1);
    }

    @Test
    void aServiceWithoutAnyoneAliveHasNoName() throws Exception {
        World world = World.withSessions();
        Client a = world.client("a");
        register(world, a, "1").close();
        world.pass(SOON);

        assertThat(a.registry().services()).isEmpty();
    }

    @Test
    void aStoreThatDoesNotAnswerIsSaidSo() {
        World world = World.withSessions();
        VirtualStore connection = world.store.another();
        Client b = world.client("b", connection);
        connection.hangs = true;
        assertThatThrownBy(() -> b.registry().instances("web"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(
                        "virtual:b did not answer within 666 ms when asked to list the instances of service 'web'");
        assertThatThrownBy(() -> b.registry().services()).isInstanceOf(StoreUnavailableException.class);
        connection.hangs = false;
        connection.circles = true;
        assertThatThrownBy(() -> b.registry().services())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("virtual:b returned pages without end when asked to list the services");
        connection.failure = new StoreSetupException("no right to list");
        assertThatThrownBy(() -> b.registry().instances("web"))
                .isInstanceOf(StoreSetupException.class)
                .hasMessage("no right to list");
    }

    /** No right to the prefix costs the listener its list, and elections nothing. */
    @Test
    void aRefusalIsLoggedOnceAndEndsNoLeadership() throws Exception {
        World world = World.withSessions();
        VirtualStore connection = world.store.another();
        connection.undisclosed = key -> key.space().equals(RecordKey.REGISTRATIONS);
        Client b = world.client("b", connection);
        var led = world.win(b.election("e"));
        Told told = new Told();
        b.registry().watch("web", told);

        world.pass(Duration.ofMinutes(2));

        assertThat(told.calls).isZero();
        assertThat(led.isValid()).isTrue();
        assertThat(world.logged(line -> line.contains("service 'web' cannot be listed: not to be listed")))
                .hasSize(1);
        connection.undisclosed = key -> false;
        world.passUntil(() -> told.calls == 1, Duration.ofSeconds(40));
    }

    @Test
    void namesAreCheckedBeforeAnyCall() {
        World world = World.withSessions();
        VirtualStore connection = world.store.another();
        Client b = world.client("b", connection);
        assertThatIllegalArgumentException().isThrownBy(() -> b.registry().instances(""));
        assertThatIllegalArgumentException().isThrownBy(() -> b.registry().watch("x".repeat(513)));
        assertThat(connection.requests).isEmpty();
    }

    // ---- picking ----

    @Test
    void eachCallGivesAnotherOneInTurn() throws Exception {
        World world = World.withSessions();
        Client a = world.client("a");
        for (int i = 1; i < 5; i++) {
            register(world, a, "" + i);
        }
        ServiceWatch watch = world.client("b", world.store.another()).registry().watch("web");
        world.pass(SOON);
        List<String> picked = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            picked.add(watch.next().orElseThrow().id());
        }

        assertThat(new HashSet<>(picked.subList(0, 4))).hasSize(4);
        assertThat(picked.subList(4, 8)).isEqualTo(picked.subList(0, 4));
        assertThat(watch.forKey("k")).isEqualTo(watch.view().forKey("k"));
    }

    /** What another program wrote there is down, and stays so. */
    @Test
    void whatAnotherProgramWroteIsDown() throws Exception {
        World world = World.withSessions();
        register(world, world.client("a"), "1");
        Told told = new Told();
        VirtualStore connection = world.store.another();
        world.client("b", connection).registry().watch("web", told);
        world.passUntil(() -> told.calls == 1, SOON);
        Observation.Held held = (Observation.Held) world.store.shown(RecordKey.registration("web", "1"));

        connection.hint(new Hint.Seen(Observation.foreign(
                RecordKey.registration("web", "2"), held.basis(), held.liveness(), 99, "theirs", null)));
        world.pass(Duration.ofMillis(100));

        assertThat(told.listed.get("2").status()).isEqualTo(Status.DOWN);
        assertThat(told.now.passing()).extracting(RegisteredInstance::id).containsExactly("1");
    }
}
