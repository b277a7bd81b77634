package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leadership;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whoever registers removes what others left behind. */
class TidyingTest {
    private static final RecordKey SERVICE = RecordKey.registrations("web");
    private static final Duration ROUND = Duration.ofMinutes(10);

    static Stream<World> judged() {
        return Stream.of(World.judged(), new World(VirtualStore.traits(Expiry.OBSERVER_JUDGES, LeaseScope.RECORD)));
    }

    private static Registration register(Client client, String id) throws InterruptedException {
        Registration registration =
                client.registry().register("web", ServiceInstance.at("at " + id).withId(id));
        assertThat(registration.awaitRegistered(Duration.ofSeconds(20))).isTrue();
        return registration;
    }

    /** Restarts under new ids, some of which are killed, leave nothing. */
    @ParameterizedTest
    @MethodSource("judged")
    void thoseWhoDiedAreRemovedByThoseWhoLive(World world) throws Exception {
        for (int i = 0; i < 10; i++) {
            Client client = world.client("dies" + i, world.store.another());
            register(client, "dies" + i);
            world.host.stall("mandate-loop-dies" + i);
        }
        Client client = world.client("lives");
        Registration lives = register(client, "lives");
        Leadership leads = world.win(client.election("e"));
        assertThat(world.store.left(SERVICE)).hasSize(11);

        world.pass(ROUND.multipliedBy(2));

        assertThat(world.store.left(SERVICE)).containsExactly(RecordKey.registration("web", "lives"));
        assertThat(lives.state().isRegistered()).isTrue();
        assertThat(leads.isValid()).isTrue();
        lives.close();
        int lists = world.store.requests.get("list");
        world.pass(ROUND.multipliedBy(3));
        assertThat(world.store.requests).containsEntry("list", lists + otherLists(world, lists));
        assertThat(world.store.left(SERVICE)).isEmpty();
    }

    /** Leaders under a session are listed, too; a service nobody registers in is not. */
    private static int otherLists(World world, int before) {
        return world.store.traits().leaseScope() == LeaseScope.SESSION ? world.store.requests.get("list") - before : 0;
    }

    /** Its holder hung for minutes, and was tidied away. Its session was not ended, and it registers again. */
    @Test
    void aSessionIsNeverEndedByTidying() throws Exception {
        World world = World.judged();
        VirtualStore connection = world.store.another();
        Registration registration = register(world.client("late", connection), "late");
        register(world.client("lives"), "lives");
        world.host.stall("mandate-loop-late");
        world.pass(ROUND.multipliedBy(2));
        assertThat(world.store.left(SERVICE)).hasSize(1);

        assertThat(connection.renewFirstSession()).isInstanceOf(SessionRenewal.Renewed.class);
        world.host.resume();

        assertThat(registration.awaitRegistered(Duration.ofMinutes(1))).isTrue();
        assertThat(world.store.left(SERVICE)).hasSize(2);
    }

    /** Both were away with the store. One comes back, and tidies before the other one has had time to renew. */
    @Test
    void whoComesBackLaterFromAnOutageIsLetBe() throws Exception {
        World world = World.judged().set(Setting.LEASE, Duration.ofMinutes(2));
        VirtualStore connection = world.store.another();
        Registration late = register(world.client("late", connection), "late");
        register(world.client("lives"), "lives");
        int lists = world.store.requests.getOrDefault("list", 0);
        world.passUntil(() -> world.store.requests.getOrDefault("list", 0) > lists, ROUND);
        world.pass(Duration.ofSeconds(10));
        world.store.hangs = true;
        connection.hangs = true;
        world.pass(Duration.ofSeconds(500));
        world.store.hangs = false;
        int before = world.store.requests.get("list");
        world.passUntil(() -> world.store.requests.get("list") > before, ROUND);
        world.pass(Duration.ofSeconds(10));

        assertThat(world.store.left(SERVICE)).hasSize(2);
        connection.hangs = false;
        assertThat(late.awaitRegistered(Duration.ofMinutes(2))).isTrue();
    }

    @Test
    void aRoundThatFailsIsFollowedByTheNext() throws Exception {
        World world = World.judged();
        Client dies = world.client("dies", world.store.another());
        register(dies, "dies");
        world.host.stall("mandate-loop-dies");
        register(world.client("lives"), "lives");
        world.store.onCall = () -> world.store.losesAnswers = world.store.last().equals("list");
        world.pass(ROUND.multipliedBy(3));
        assertThat(world.store.left(SERVICE)).hasSize(2);
        world.store.onCall = () -> {};
        world.store.losesAnswers = false;

        world.pass(ROUND.multipliedBy(2));

        assertThat(world.store.left(SERVICE)).hasSize(1);
    }

    @Test
    void whereTheStoreRemovesNothingIsReleasedAndVacantRecordsAreErased() throws Exception {
        World world = World.withRecords();
        world.store.denied = key -> world.store.requests.containsKey("release");
        register(world.client("b"), "leaves").close();
        world.store.denied = key -> false;
        assertThat(world.store.left(SERVICE)).hasSize(1);
        register(world.client("a"), "lives");
        world.store.requests.clear();

        world.pass(ROUND);

        assertThat(world.store.left(SERVICE)).containsExactly(RecordKey.registration("web", "lives"));
        assertThat(world.store.requests).doesNotContainKey("release").containsAllEntriesOf(Map.of("erase", 1));
    }
}
