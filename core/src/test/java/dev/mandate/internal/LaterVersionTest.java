package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leader;
import dev.mandate.Leadership;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.Registration;
import dev.mandate.registry.RegistrationState.Phase;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceWatch;
import dev.mandate.registry.Status;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a later version of Mandate wrote, an instance or a leader, among clients of this one; L = 10 s. */
class LaterVersionTest {
    private static final RecordKey SERVICE = RecordKey.registrations("web");
    private static final RecordKey KEY = RecordKey.registration("web", "later");
    private static final RecordKey OWN = RecordKey.registration("web", "own");
    private static final Duration ROUND = Duration.ofMinutes(10);
    private static final Map<String, String> UNKNOWN = Map.of("v", "2", "shard", "{\"of\":[1,null]}");
    private static final String SAYS = "{\"v\":2,\"status\":\"DRAINING\",\"address\":\"10.0.0.9:80\",\"zones\":[1],"
            + "\"metadata\":{\"zone\":\"a\",\"weight\":3}}";

    static Stream<World> worlds() {
        return Stream.of(
                World.withSessions(),
                World.withRecords(),
                World.judged(),
                new World(VirtualStore.traits(Expiry.OBSERVER_JUDGES, LeaseScope.RECORD)));
    }

    /** Holds the key, and renews it, until it dies. */
    private static final class Later {
        private static final CallContext CALL = CallContext.within(Duration.ofHours(1));

        private final World world;
        private final RecordKey key;
        private final VirtualStore connection;
        private StoreSession session;
        private Observation.Held held;
        private boolean isDead;

        Later(World world, RecordKey key) {
            this.world = world;
            this.key = key;
            this.connection = world.store.another();
            if (connection.traits().leaseScope() == LeaseScope.SESSION) {
                session = answer(connection.openSession(World.LEASE, CALL));
            }
            LeaderRecord record = new LeaderRecord(
                    "later:1", new Id(7, 7), new Id(8, 8), SAYS, World.LEASE, 0, false, 1_000, UNKNOWN);
            Observation vacant = answer(connection.read(key, CALL));
            held = held(answer(connection.acquire(key, vacant, record, session, CALL)));
            renewLater();
        }

        private <T> T answer(CompletionStage<T> asked) {
            CompletableFuture<T> answer = asked.toCompletableFuture();
            world.passUntil(answer::isDone);
            return answer.join();
        }

        private static Observation.Held held(WriteOutcome outcome) {
            assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
            return (Observation.Held) ((WriteOutcome.Written) outcome).now();
        }

        private void renewLater() {
            world.host.at(world.host.nanos() + World.LEASE.dividedBy(3).toNanos(), () -> {
                if (isDead) {
                    return;
                }
                if (session != null) {
                    session.renew(CALL);
                } else {
                    LeaderRecord same = held.record().withTerm(held.term());
                    connection.update(key, held, same, Intent.RENEW, CALL).thenAccept(outcome -> held = held(outcome));
                }
                renewLater();
            });
        }

        void dies() {
            isDead = true;
        }
    }

    private static Registration register(Client client, String id) throws InterruptedException {
        return client.registry().register("web", ServiceInstance.at("at " + id).withId(id));
    }

    private static void assertListed(RegisteredInstance seen) {
        assertThat(seen.candidate()).isEqualTo("later:1");
        // A status that this version does not know.
        assertThat(seen.instance())
                .isEqualTo(
                        new ServiceInstance("later", "10.0.0.9:80", Map.of("zone", "a", "weight", "3"), Status.DOWN));
    }

    /** It lives through some rounds in which others tidy the service, and is tidied once it has died. */
    @ParameterizedTest
    @MethodSource("worlds")
    void itIsListedWhileItLivesAndTidiedWhenItDied(World world) throws Exception {
        Later later = new Later(world, KEY);
        Registration own = register(world.client("a"), "own");
        Client b = world.client("b", world.store.another());
        ServiceWatch watch = b.registry().watch("web");

        for (int round = 0; round < 3; round++) {
            world.pass(ROUND);

            assertThat(watch.view().instances())
                    .extracting(RegisteredInstance::id)
                    .containsExactly("later", "own");
            assertListed(watch.view().find("later").orElseThrow());
            assertListed(world.client("c" + round, world.store.another())
                    .registry()
                    .instances("web")
                    .find("later")
                    .orElseThrow());
            assertThat(world.store.left(SERVICE)).containsExactly(KEY, OWN);
            Observation.Held stands = (Observation.Held) world.store.shown(KEY);
            assertThat(stands.record().unknown()).isEqualTo(UNKNOWN);
            assertThat(stands.record().value()).isEqualTo(SAYS);
        }

        later.dies();
        world.pass(ROUND.multipliedBy(3));
        assertThat(watch.view().instances()).extracting(RegisteredInstance::id).containsExactly("own");
        assertThat(world.store.left(SERVICE)).containsExactly(OWN);
        assertThat(own.state().isRegistered()).isTrue();
    }

    /** Who wants its id waits, and says nothing of what it said. */
    @ParameterizedTest
    @MethodSource("worlds")
    void itsIdIsTakenUntilItDies(World world) throws Exception {
        Later later = new Later(world, KEY);
        Registration same = register(world.client("a"), "later");
        world.pass(Duration.ofMinutes(5));
        assertThat(same.state().phase()).isEqualTo(Phase.TAKEN);
        assertThat(same.state().heldBy()).isEqualTo(Optional.of("later:1"));

        later.dies();

        assertThat(same.awaitRegistered(Duration.ofMinutes(2))).isTrue();
        Observation.Held stands = (Observation.Held) world.store.shown(KEY);
        assertThat(stands.record().unknown()).isEmpty();
        assertThat(world.client("b", world.store.another())
                        .registry()
                        .instances("web")
                        .instances())
                .extracting(RegisteredInstance::address)
                .isEqualTo(List.of("at later"));
    }

    /** Its term is shown and waited for, as any other. */
    @ParameterizedTest
    @MethodSource("worlds")
    void itLeadsUntilItDies(World world) {
        RecordKey key = RecordKey.election("e");
        Later later = new Later(world, key);
        Client client = world.client("a");
        CompletableFuture<Leadership> won = client.election("e").campaignAsync("at a");
        world.pass(ROUND);

        assertThat(won).isNotDone();
        Leader seen = client.election("e").view().leader().orElseThrow();
        assertThat(seen.candidate()).isEqualTo("later:1");
        assertThat(seen.value()).isEqualTo(SAYS);
        assertThat(((Observation.Held) world.store.shown(key)).record().unknown())
                .isEqualTo(UNKNOWN);

        later.dies();
        world.passUntil(won::isDone);
        assertThat(won.join().fencingToken().value()).isGreaterThan(seen.token().value());
        assertThat(((Observation.Held) world.store.shown(key)).record().unknown())
                .isEmpty();
    }
}
