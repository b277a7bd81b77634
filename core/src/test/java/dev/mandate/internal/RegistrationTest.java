package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.mandate.Leadership;
import dev.mandate.json.InstanceJson;
import dev.mandate.registry.Registration;
import dev.mandate.registry.RegistrationState;
import dev.mandate.registry.RegistrationState.Phase;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceWatch;
import dev.mandate.registry.Status;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Instances that register and change, on the real loop and virtual time. */
class RegistrationTest extends RegistrationFixture {
    // ---- what it says ----

    @ParameterizedTest
    @MethodSource("worlds")
    void anInstanceIsRegisteredAndSaysWhatIsNewest(World world) throws Exception {
        Registration registration = registered(world, world.client("a"));

        registration.update(HERE.withMetadata("zone", "a"));
        registration.update(now -> now.withMetadata("rack", "1"));
        registration.status(Status.OUT_OF_SERVICE);

        assertThat(registration.awaitRegistered(Duration.ofSeconds(1))).isTrue();
        assertThat(stored(world))
                .isEqualTo(
                        new InstanceJson.Content("OUT_OF_SERVICE", "10.0.0.7:8080", Map.of("zone", "a", "rack", "1")));
        assertThat(registration.instance().status()).isEqualTo(Status.OUT_OF_SERVICE);
        world.pass(Duration.ofMinutes(2));
        assertThat(registration.generation())
                .as("renewals and updates do not count")
                .isOne();
        assertThat(registration.service()).isEqualTo("web");
        assertThat(registration.id()).isEqualTo("7");
    }

    @Test
    void theDefaultIdIsTheIncarnation() throws Exception {
        World world = World.withRecords();
        Registration registration = world.client("a").registry().register("web", ServiceInstance.withoutAddress());

        assertThat(registration.awaitRegistered(Duration.ofSeconds(10))).isTrue();

        RecordKey key = RecordKey.registration("web", registration.id());
        Observation.Held held = (Observation.Held) world.store.shown(key);
        assertThat(registration.id())
                .isEqualTo(held.record().incarnation().toString())
                .isEqualTo(registration.instance().id());
    }

    @Test
    void registeringOpensNoWatchOfElections() throws Exception {
        World world = World.withSessions();
        registered(world, world.client("a"));

        assertThat(world.store.watches()).isZero();
    }

    @Test
    void whatIsSaidWhileAnAcquireIsUnderWayFollowsIt() throws Exception {
        World world = World.withRecords();
        world.store.latency = Duration.ofMillis(200);
        Registration registration = world.client("a").registry().register("web", HERE);
        world.passUntil(() -> world.store.requests.containsKey("acquire"));

        registration.update(HERE.withAddress("newer"));

        assertThat(registration.awaitRegistered(Duration.ofSeconds(5))).isTrue();
        assertThat(stored(world).address()).isEqualTo("newer");
        assertThat(world.store.requests).containsEntry("acquire", 1);
    }

    @Test
    void aWriteThatIsNotAnsweredIsTriedUntilTheStoreHasWhatIsNewest() throws Exception {
        World world = World.withSessions();
        Registration registration = registered(world, world.client("a"));
        world.store.denied = key -> true;
        registration.update(HERE.withAddress("newer"));
        assertThat(registration.awaitRegistered(Duration.ofMinutes(3))).isFalse();
        assertThat(registration.state().phase()).isEqualTo(Phase.REGISTERED);
        assertThat(registration.state().reason())
                .isEqualTo(
                        "registered, but the store refuses the newest state, and will until this is fixed: no right to"
                                + " write registration");

        world.store.denied = key -> false;

        assertThat(registration.awaitRegistered(Duration.ofSeconds(40))).isTrue();
        assertThat(stored(world).address()).isEqualTo("newer");
        assertThat(registration.state().reason()).isEqualTo("registered");
    }

    @Test
    void manyChangesAreOneCommandAndOneWrite() throws Exception {
        World world = World.withSessions();
        Registration registration = registered(world, world.client("a"));
        world.host.stall("mandate-loop");
        for (int i = 0; i < 300_000; i++) {
            registration.update(HERE.withAddress("at " + i));
        }
        world.host.resume();

        assertThat(registration.awaitRegistered(Duration.ofSeconds(5))).isTrue();

        assertThat(stored(world).address()).isEqualTo("at 299999");
        assertThat(world.store.requests).containsEntry("PROCLAIM", 1);
    }

    @Test
    void whatDoesNotFitIsRefused() throws Exception {
        World world = World.withSessions();
        Client client = world.client("a");
        Registration registration = registered(world, client);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> registration.update(HERE.withMetadata("k", "x".repeat(1_000))))
                .withMessageContaining("bytes as JSON in UTF-8, metadata 'k' alone 1001; the limit is 1000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.registry().register("web", HERE.withMetadata("k", "x".repeat(1_000))))
                .withMessageContaining("the limit is 1000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registration.update(HERE.withId("8")))
                .withMessage("id is '8', but this registration's is '7'; leave it empty, or register that one");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.registry().register("we\nb", HERE))
                .withMessageContaining("service has a control character, U+000A");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.registry().register("web".repeat(150), HERE.withId("7".repeat(512))))
                .withMessageContaining("take 963 characters as a key");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registration.healthCheck(() -> true, Duration.ZERO, Duration.ofSeconds(1)))
                .withMessage("every is PT0S; it must be more than 0");
        registration.update(HERE.withId("").withAddress("newer"));
        assertThat(registration.instance()).isEqualTo(HERE.withAddress("newer"));
    }

    // ---- outages ----

    /**
     * "After an outage the newest state registers again": what stands in between is at no time what was said before.
     */
    @ParameterizedTest
    @MethodSource("worlds")
    void afterAnOutageTheNewestStateRegistersAgain(World world) throws Exception {
        Registration registration = registered(world, world.client("a"));
        List<String> proposed = new ArrayList<>();
        world.store.hangs = true;
        world.pass(Duration.ofSeconds(1));
        registration.update(HERE.withAddress("newer"));
        world.pass(OUTAGE);
        assertThat(registration.state().isRegistered()).isFalse();
        registration.update(HERE.withAddress("newest"));
        world.store.onProposal =
                proposal -> proposed.add(InstanceJson.read(proposal.value()).address());
        world.store.hangs = false;

        assertThat(registration.awaitRegistered(Duration.ofSeconds(60))).isTrue();

        assertThat(proposed).isNotEmpty().containsOnly("newest");
        assertThat(stored(world).address()).isEqualTo("newest");
    }

    /** The write of what was said before is under way all the while until its lease is over. */
    @ParameterizedTest
    @MethodSource("worlds")
    void whatIsSaidWhileAWriteIsUnderWayRegistersAgain(World world) throws Exception {
        Registration registration = registered(world, world.client("a"));
        List<String> proposed = new ArrayList<>();
        world.store.onProposal =
                proposal -> proposed.add(InstanceJson.read(proposal.value()).address());
        world.store.hangs = true;
        world.pass(Duration.ofSeconds(1));
        registration.update(HERE.withAddress("newer"));
        world.pass(Duration.ofMillis(100));
        registration.update(HERE.withAddress("newest"));
        world.pass(OUTAGE);
        world.store.hangs = false;

        assertThat(registration.awaitRegistered(Duration.ofSeconds(60))).isTrue();

        assertThat(proposed).isNotEmpty().containsOnly("newest");
        assertThat(stored(world).address()).isEqualTo("newest");
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void anEmptiedStoreHasItBack(World world) throws Exception {
        Registration registration = registered(world, world.client("a"));
        assertThat(registration.generation()).isOne();

        world.store.delete(KEY);
        world.passUntil(() -> !world.store.left(KEY).isEmpty() && isHeld(world), Duration.ofSeconds(40));

        assertThat(registration.awaitRegistered(Duration.ofSeconds(1))).isTrue();
        assertThat(registration.generation()).isEqualTo(2);
    }

    /**
     * "The service's listing shows deletions", and so does its watch: whoever follows the service need not wait for a
     * look of its own.
     */
    @ParameterizedTest
    @MethodSource("worlds")
    void whoeverFollowsItsOwnServiceHasADeletedRegistrationBackAtOnce(World world) throws Exception {
        Client client = world.client("a");
        registered(world, client);
        ServiceWatch watch = client.registry().watch("web");
        world.pass(Duration.ofSeconds(5));

        world.store.delete(KEY);
        world.passUntil(() -> isHeld(world), Duration.ofSeconds(1));

        world.store.isDeaf = true;
        world.pass(Duration.ofSeconds(5));
        world.store.delete(KEY);
        world.store.hint(Hint.Gap.INSTANCE);
        world.store.isDeaf = false;
        world.store.hint(Hint.Gap.INSTANCE);
        world.passUntil(() -> isHeld(world), Duration.ofSeconds(2));
        watch.close();
    }

    private static boolean isHeld(World world) {
        return world.store.shown(KEY) instanceof Observation.Held;
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aRegistrationIsNotBelievedBeyondItsLease(World world) throws Exception {
        Registration registration = registered(world, world.client("a"));
        world.host.stall("mandate-loop");

        world.pass(Duration.ofSeconds(31));

        assertThat(registration.state().phase()).isEqualTo(Phase.REGISTERING);
    }

    // ---- one id twice ----

    @ParameterizedTest
    @MethodSource("worlds")
    void anIdIsHeldByTheFirstAndTheOtherFollows(World world) throws Exception {
        Registration first = registered(world, world.client("first"));
        Registration second =
                world.client("second", world.store.another()).registry().register("web", HERE.withAddress("second"));
        world.pass(Duration.ofSeconds(20));
        assertThat(stored(world).address()).isEqualTo("10.0.0.7:8080");
        assertThat(second.state())
                .isEqualTo(new RegistrationState(
                        Phase.TAKEN,
                        "id '7' is held by first; registers when that one has gone",
                        Optional.of("first")));
        assertThat(second.state().heldBy()).contains("first");
        second.update(HERE.withAddress("newer"));
        Registration third =
                world.client("third", world.store.another()).registry().register("web", HERE.withAddress("third"));
        world.pass(Duration.ofSeconds(20));
        third.close();
        assertThat(third.state().phase()).isEqualTo(Phase.CLOSED);
        assertThat(stored(world).address()).isEqualTo("10.0.0.7:8080");

        first.close();

        assertThat(second.awaitRegistered(Duration.ofSeconds(5))).isTrue();
        assertThat(stored(world).address()).isEqualTo("newer");
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void anIdWhoseHolderDiedIsTakenOver(World world) throws Exception {
        Client first = world.client("first");
        registered(world, first);
        Registration second =
                world.client("second", world.store.another()).registry().register("web", HERE.withAddress("second"));
        world.pass(Duration.ofSeconds(2));

        world.host.stall("mandate-loop-first");

        assertThat(second.awaitRegistered(Duration.ofSeconds(45))).isTrue();
        assertThat(stored(world).address()).isEqualTo("second");
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aClientRegistersAnIdOnceAndAgainAfterIClosed(World world) throws Exception {
        Client client = world.client("a");
        Registration first = registered(world, client);
        assertThatIllegalStateException()
                .isThrownBy(() -> client.registry().register("web", HERE))
                .withMessage("this client has registered id '7' of service 'web' already; close that registration, or"
                        + " register under another id");
        assertThat(client.registry().register("web", HERE.withId("8")).awaitRegistered(Duration.ofSeconds(5)))
                .isTrue();
        world.store.latency = Duration.ofMillis(100);
        ((ClientRegistration) first).beginClose();

        Registration unused = client.registry().register("web", HERE.withAddress("unused"));
        ((ClientRegistration) unused).beginClose();
        Registration second = client.registry().register("web", HERE.withAddress("again"));

        assertThat(first.state().phase()).isEqualTo(Phase.CLOSING);
        assertThat(second.awaitRegistered(Duration.ofSeconds(5))).isTrue();
        assertThat(stored(world).address()).isEqualTo("again");
        assertThat(unused.state().phase()).isEqualTo(Phase.CLOSED);
        world.pass(OUTAGE);
        assertThat(second.state().isRegistered()).isTrue();
        second.close();
        assertThat(world.store.left(KEY)).isEmpty();
    }

    /** As many commands wait as may; a change waits at most once per registration, so it always may. */
    @Test
    void aChangeIsWrittenThoughTheLoopDoesNotKeepUp() throws Exception {
        World world = World.withRecords();
        Client client = world.client("a");
        Registration registration = registered(world, client);
        world.host.stall("mandate-loop");
        for (int i = 0; i < 1 << 18; i++) {
            client.loop().command(now -> {});
        }

        registration.status(Status.OUT_OF_SERVICE);
        world.host.resume();

        assertThat(registration.awaitRegistered(Duration.ofSeconds(5))).isTrue();
        assertThat(stored(world).status()).isEqualTo("OUT_OF_SERVICE");
    }

    // ---- rights ----

    /** "A registration that cannot be written for want of a right says so by its status and ends no leadership." */
    @ParameterizedTest
    @MethodSource("worlds")
    void aRegistrationWithoutRightsSaysSoAndCostsNoLeadership(World world) throws Exception {
        Client client = world.client("a");
        Leadership leads = world.win(client.election("e"));
        world.store.denied = key -> key.space().equals(RecordKey.REGISTRATIONS);
        Registration registration = client.registry().register("web", HERE);

        assertThat(registration.awaitRegistered(Duration.ofMinutes(5))).isFalse();

        assertThat(registration.state())
                .isEqualTo(new RegistrationState(
                        Phase.FAULTY,
                        "the store refuses, and will until this is fixed: no right to write registration",
                        Optional.empty()));
        assertThat(world.logged(line -> line.contains("service=web id=7: no right to write registration")))
                .isNotEmpty();
        registration.close();
        // A write that failed is looked after with the patience of one that will fail again.
        world.passUntil(() -> registration.state().phase() == Phase.CLOSED, OUTAGE);
        world.pass(OUTAGE);
        assertThat(leads.isValid()).isTrue();
    }

    @Test
    void onceTheRightIsGivenItRegisters() throws Exception {
        World world = World.withSessions();
        world.store.denied = key -> true;
        Registration registration = world.client("a").registry().register("web", HERE);
        world.pass(OUTAGE);
        world.store.denied = key -> false;

        assertThat(registration.awaitRegistered(Duration.ofMinutes(1))).isTrue();
        assertThat(registration.state().reason()).isEqualTo("registered");
    }

    // ---- trouble inside ----

    @ParameterizedTest
    @MethodSource("worlds")
    void whatFailsInTheMidstOfAnEventIsMended(World world) throws Exception {
        for (int step = 1; step <= 12; step++) {
            Client client = world.client("a" + step, world.store.another());
            int failing = step;
            int[] draws = {0};
            world.onEntropy = () -> {
                if (++draws[0] == failing) {
                    throw new InternalError("planted");
                }
            };
            Registration registration = client.registry().register("web", HERE);
            assertThat(registration.awaitRegistered(Duration.ofMinutes(2))).isTrue();
            world.onEntropy = () -> {};
            registration.close();
            world.passUntil(() -> registration.state().phase() == Phase.CLOSED, OUTAGE);
            assertThat(world.store.shown(KEY)).isInstanceOf(Observation.Vacant.class);
            client.close();
        }
    }
}
