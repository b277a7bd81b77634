package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.mandate.registry.Registration;
import dev.mandate.registry.RegistrationState.Phase;
import dev.mandate.registry.Status;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Instances that go, and what they leave. */
class RegistrationClosingTest extends RegistrationFixture {
    @ParameterizedTest
    @MethodSource("worlds")
    void closingLeavesNothing(World world) throws Exception {
        Registration registration = registered(world, world.client("a"));

        registration.close();

        assertThat(isGone(world)).isTrue();
        assertThat(registration.state().phase()).isEqualTo(Phase.CLOSED);
        registration.close();
        registration.update(HERE.withAddress("newer"));
        registration.status(Status.DOWN);
        registration.healthCheck(() -> true, Duration.ofSeconds(1), Duration.ofSeconds(1));
        assertThat(registration.awaitRegistered(Duration.ofSeconds(1))).isFalse();
        world.pass(OUTAGE);
        assertThat(isGone(world)).isTrue();
        assertThat(world.store.requests).containsEntry("acquire", 1);
    }

    /** "A closed one never", and close takes a few request time-outs at most. */
    @ParameterizedTest
    @MethodSource("worlds")
    void oneClosedInAnOutageNeverComesBack(World world) throws Exception {
        Client client = world.client("a");
        Registration registration = registered(world, client);
        world.store.hangs = true;
        world.pass(Duration.ofSeconds(1));
        long from = world.host.nanos();

        registration.close();

        assertThat(world.host.nanos() - from)
                .isLessThanOrEqualTo(4 * client.timing().requestTimeoutNanos());
        assertThat(registration.state().phase()).isEqualTo(Phase.CLOSING);
        world.pass(OUTAGE);
        int acquires = world.store.requests.get("acquire");
        world.store.hangs = false;
        world.pass(OUTAGE);
        assertThat(world.store.requests).containsEntry("acquire", acquires);
        assertThat(registration.state().phase()).isEqualTo(Phase.CLOSED);
        assertThat(isGone(world)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void closingTheClientClosesItsRegistrations(World world) throws Exception {
        Client client = world.client("a");
        Registration registration = registered(world, client);
        Registration other = client.registry().register("db", HERE);
        assertThat(other.awaitRegistered(Duration.ofSeconds(5))).isTrue();
        Registration hasNotBegun = client.registry().register("late", HERE);

        client.close();

        assertThat(isGone(world)).isTrue();
        assertThat(List.of(registration, other, hasNotBegun))
                .extracting(each -> each.state().phase())
                .containsOnly(Phase.CLOSED);
        assertThat(hasNotBegun.awaitRegistered(Duration.ofSeconds(5))).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> client.registry().register("web", HERE))
                .withMessageContaining("is closed");
    }

    @Test
    void aClientWhoseStoreIsSilentClosesInTimeAllTheSame() throws Exception {
        World world = World.withSessions();
        Client client = world.client("a");
        Registration registration = registered(world, client);
        world.store.hangs = true;
        long from = world.host.nanos();

        client.close();

        assertThat(world.host.nanos() - from).isLessThanOrEqualTo(client.loop().closeNanos() + 10_000_000);
        assertThat(registration.state().phase()).isEqualTo(Phase.CLOSED);
    }

    @Test
    void whoeverWaitsIsToldThatItWasClosed() throws Exception {
        World world = World.withSessions();
        world.store.hangs = true;
        Client client = world.client("a");
        Registration registration = client.registry().register("web", HERE);
        world.host.at(world.host.nanos() + 1_000_000_000L, ((ClientRegistration) registration)::beginClose);
        long from = world.host.nanos();

        assertThat(registration.awaitRegistered(Duration.ofMinutes(5))).isFalse();

        assertThat(world.host.nanos() - from).isLessThan(Duration.ofSeconds(2).toNanos());
    }

    @Test
    void anEraseThatFailsIsTriedAgainAndNotForEver() throws Exception {
        World world = World.judged();
        Registration registration = registered(world, world.client("a"));
        world.store.onCall = () ->
                world.store.losesAnswers = world.store.last().equals("erase") && world.store.requests.get("erase") == 1;

        registration.close();
        world.passUntil(() -> registration.state().phase() == Phase.CLOSED);

        assertThat(isGone(world)).isTrue();
        assertThat(world.store.requests.get("erase")).isEqualTo(2);
    }

    /** What could not be erased yet is left to others rather than waited for. */
    @Test
    void aClientThatClosesDoesNotWaitForAnEraseThatPauses() throws Exception {
        World world = World.judged();
        Client client = world.client("a");
        Registration registration = registered(world, client);
        world.store.onCall = () ->
                world.store.failure = world.store.last().equals("erase") ? new IllegalStateException("planted") : null;
        registration.close();
        world.pass(Duration.ofMinutes(1));
        assertThat(registration.state().phase()).isEqualTo(Phase.CLOSING);
        assertThat(world.store.requests.get("erase")).isBetween(4, 8);
        long from = world.host.nanos();

        client.close();

        assertThat(world.host.nanos() - from).isLessThan(client.timing().requestTimeoutNanos());
        assertThat(registration.state().phase()).isEqualTo(Phase.CLOSED);
    }

    /** What the former left is replaced: there is no need to wait until it is erased. */
    @Test
    void oneThatIsRegisteredAgainWaitsForNoPause() throws Exception {
        World world = World.judged();
        Client client = world.client("a");
        Registration former = registered(world, client);
        world.store.onCall = () ->
                world.store.failure = world.store.last().equals("erase") ? new IllegalStateException("planted") : null;
        former.close();
        world.pass(Duration.ofMinutes(2));
        assertThat(former.state().phase()).isEqualTo(Phase.CLOSING);

        Registration again = client.registry().register("web", HERE);

        assertThat(again.awaitRegistered(Duration.ofSeconds(5))).isTrue();
        assertThat(former.state().phase()).isEqualTo(Phase.CLOSED);
        world.store.onCall = () -> {};
        world.store.failure = null;
        world.pass(OUTAGE);
        assertThat(stored(world).address()).isEqualTo(HERE.address());
    }

    /** Nor does it erase twice: the second time might find the record of whoever registered next. */
    @Test
    void oneThatIsMendedWhileItIsErasedIsErasedOnce() throws Exception {
        World world = World.judged();
        Client client = world.client("a");
        Registration former = registered(world, client);
        world.store.onCall =
                () -> world.store.latency = Duration.ofMillis(world.store.last().equals("read") ? 500 : 2);
        ((ClientRegistration) former).beginClose();
        world.passUntil(() -> world.store.requests.containsKey("release"));
        world.pass(Duration.ofMillis(100));
        client.loop().post(now -> {
            throw new InternalError("planted");
        });
        Registration again = client.registry().register("web", HERE);

        assertThat(again.awaitRegistered(Duration.ofMinutes(1))).isTrue();
        world.pass(OUTAGE);

        assertThat(world.store.requests).containsEntry("erase", 1).containsEntry("release", 1);
        assertThat(stored(world).address()).isEqualTo(HERE.address());
    }

    @Test
    void whoeverMayNotEraseLeavesItToOthers() throws Exception {
        World world = World.judged();
        Registration registration = registered(world, world.client("a"));
        world.store.denied = key -> world.store.requests.containsKey("release");

        registration.close();

        assertThat(registration.state().phase()).isEqualTo(Phase.CLOSED);
        assertThat(world.store.requests).containsEntry("denied erase", 1);
        assertThat(world.store.left(KEY)).containsExactly(KEY);
        assertThat(world.store.shown(KEY)).isInstanceOf(Observation.Vacant.class);
    }

    @Test
    void oneThatStillLeavesWhenTheClientIsClosedIsClosedToo() throws Exception {
        World world = World.withRecords();
        Client client = world.client("a");
        Registration former = registered(world, client);
        world.store.hangs = true;
        former.close();
        Registration next = client.registry().register("web", HERE);

        client.close();

        assertThat(next.state().phase()).isEqualTo(Phase.CLOSED);
        assertThat(former.state().phase()).isEqualTo(Phase.CLOSED);
        long from = world.host.nanos();
        former.close();
        assertThat(world.host.nanos()).isEqualTo(from);
    }

    @Test
    void whoWaitsIsToldOfTheEndThoughTheLoopHangs() {
        World world = World.withRecords();
        world.host.useRealThreads();
        Client client = world.client("a");
        world.store.hangs = true;
        Registration registration = client.registry().register("web", HERE);
        world.pass(Duration.ofSeconds(1));
        world.host.stall("mandate-loop");
        AtomicReference<Boolean> outcome = new AtomicReference<>();
        Thread waiter = new Thread(() -> {
            try {
                outcome.set(registration.awaitRegistered(Duration.ofHours(1)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        waiter.start();
        world.await(() -> waiter.getState() == Thread.State.WAITING);

        ((ClientRegistration) registration).beginClose();

        world.await(() -> outcome.get() != null);
        assertThat(outcome.get()).isFalse();
    }
}
