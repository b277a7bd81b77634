package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.engine.FollowingAction;
import dev.mandate.engine.FollowingMachine;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import dev.mandate.spi.Basis;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Registering and following where something lasts long, comes late or fails half way; L = 10 s. */
class RegistryFaultsTest {
    private static final RecordKey KEY = RecordKey.registration("web", "7");
    private static final ServiceInstance HERE =
            ServiceInstance.at("10.0.0.7:80").withId("7");

    static Stream<World> worlds() {
        return Stream.of(World.withSessions(), World.withRecords(), World.judged());
    }

    /**
     * Before the first answer nothing is known, and that for as long as the client is open: not since the machine was
     * started.
     */
    @Test
    void beforeTheFirstAnswerTheAgeCountsFromTheOpening() {
        World world = World.withSessions();
        world.pass(Duration.ofHours(5));
        VirtualStore connection = world.store.another();
        Client client = world.client("b", connection);
        connection.hangs = true;
        ServiceWatch watch = client.registry().watch("web");

        world.pass(Duration.ofSeconds(20));

        assertThat(watch.view().stale()).isTrue();
        assertThat(watch.view().age()).isBetween(Duration.ofSeconds(19), Duration.ofSeconds(21));
    }

    /** Memory is short when its timer fires: there is another one. */
    @Test
    void aListWhoseTurnFailsIsFollowedOn() {
        World world = World.withRecords();
        VirtualStore connection = world.store.another();
        connection.hasNoWatch = true;
        List<Boolean> told = new ArrayList<>();
        ServiceWatch watch =
                world.client("b", connection).registry().watch("web", (now, changes) -> told.add(now.stale()));
        world.passUntil(() -> told.equals(List.of(false)));
        AtomicInteger failed = new AtomicInteger();
        world.host.onNanos = () -> {
            List<String> callers = StackWalker.getInstance()
                    .walk(frames ->
                            frames.map(StackWalker.StackFrame::getMethodName).toList());
            if (callers.contains("runNextTimer") && callers.contains("step") && failed.getAndIncrement() == 0) {
                throw new InternalError("simulated: one allocation failed");
            }
        };
        world.passUntil(() -> failed.get() > 0);
        connection.hangs = true;

        world.pass(Duration.ofMinutes(2));

        assertThat(watch.view().stale()).isTrue();
        assertThat(told).containsExactly(false, true);
    }

    /** Where nothing is followed any more, the last list grows old like any other. */
    @Test
    void whatIsNotFollowedAnyMoreIsStaleAfterALease() throws Exception {
        World world = World.withSessions();
        Client a = world.client("a");
        assertThat(a.registry().register("web", HERE).awaitRegistered(Duration.ofSeconds(5)))
                .isTrue();
        Client b = world.client("b", world.store.another());
        ServiceWatch closed = b.registry().watch("web");
        world.pass(Duration.ofSeconds(2));
        assertThat(closed.view().stale()).isFalse();
        closed.close();
        world.pass(Duration.ofMinutes(10));
        assertThat(closed.view().age()).isGreaterThan(Duration.ofMinutes(9));
        assertThat(closed.view().stale()).as("closed watch").isTrue();
    }

    @Test
    void whatAClosedClientFollowedIsStaleAfterALease() throws Exception {
        World world = World.withSessions();
        Client b = world.client("b", world.store.another());
        ServiceWatch watch = b.registry().watch("web");
        world.pass(Duration.ofSeconds(2));
        b.close();
        world.pass(Duration.ofMinutes(10));
        assertThat(watch.view().stale()).as("closed client").isTrue();
    }

    @Test
    void whatALoopThatHangsFollowsIsStale() throws Exception {
        World world = World.withSessions();
        Client b = world.client("b", world.store.another());
        ServiceWatch watch = b.registry().watch("web");
        world.pass(Duration.ofSeconds(2));
        world.host.stall("mandate-loop-b");
        world.pass(Duration.ofMinutes(10));
        assertThat(watch.view().age()).isGreaterThan(Duration.ofMinutes(9));
        assertThat(watch.view().stale()).as("loop hangs").isTrue();
    }

    /** What was asked for before the close may arrive long after it. */
    @ParameterizedTest
    @MethodSource("worlds")
    void aLateAcquisitionDoesNotBringAClosedOneBack(World world) throws Exception {
        Client client = world.client("a");
        // Something else keeps the session alive.
        var led = world.win(client.election("e"));
        world.store.onCall = () -> world.store.latency =
                world.store.last().equals("acquire") ? Duration.ofSeconds(120) : Duration.ofMillis(2);
        Registration registration = client.registry().register("web", HERE);
        world.passUntil(() -> world.store.requests.get("acquire") == 2);
        world.pass(Duration.ofMillis(100));
        registration.close();
        world.pass(Duration.ofSeconds(30));
        for (int i = 0; i < 20; i++) {
            world.pass(Duration.ofSeconds(5));
        }
        world.pass(Duration.ofMinutes(6));
        assertThat(led.isValid()).isTrue();
        assertThat(world.store.shown(KEY)).isInstanceOf(Observation.Vacant.class);
    }

    /** A listener may be called long after there is news; whatever it is told last is true. */
    @Test
    void aListenerIsNotLeftWithAStaleListThatIsFresh() throws Exception {
        World world = World.withSessions();
        Client a = world.client("a");
        Queue<Runnable> calls = new ArrayDeque<>();
        world.executor = calls::add;
        VirtualStore connection = world.store.another();
        Client b = world.client("b", connection);
        List<ServiceView> told = new ArrayList<>();
        b.registry().watch("web", (view, changes) -> told.add(view));
        world.pass(Duration.ofSeconds(2));
        calls.forEach(Runnable::run);
        calls.clear();
        assertThat(told).singleElement().matches(view -> !view.stale());
        a.registry().register("web", HERE).awaitRegistered(Duration.ofSeconds(5));
        world.pass(Duration.ofMillis(100));
        assertThat(calls).hasSize(1);

        int listings = connection.requests.get("list");
        world.passUntil(() -> connection.requests.get("list") > listings);
        world.host.stall("mandate-loop-b");
        world.pass(Duration.ofSeconds(9));
        calls.remove().run();
        world.host.resume();
        world.pass(Duration.ofSeconds(30));
        while (!calls.isEmpty()) {
            calls.remove().run();
        }

        ServiceView last = told.get(told.size() - 1);
        assertThat(last.instances()).hasSize(1);
        assertThat(last.stale()).isFalse();
    }

    /** A hint waits because the clock failed, and then a listing is answered as if nothing had happened. */
    @Test
    void aListIsFollowedOnThoughTheClockFailedOnce() throws Exception {
        World world = World.withSessions();
        VirtualStore connection = world.store.another();
        Client b = world.client("b", connection);
        b.registry().register("other", HERE);
        ServiceWatch watch = b.registry().watch("web", (view, changes) -> {});
        world.pass(Duration.ofSeconds(2));
        connection.latency = Duration.ofMillis(100);
        int listings = connection.requests.get("list");
        world.passUntil(() -> connection.requests.get("list") > listings);
        AtomicInteger left = world.failToReadTheClock("Watch", 1);
        connection.hint(new Hint.Seen(instance(1)));
        world.passUntil(() -> left.get() == 0);
        connection.isDeaf = true;

        world.client("a").registry().register("web", HERE);
        world.pass(Duration.ofMinutes(1));

        assertThat(watch.view().instances()).anyMatch(each -> each.address().equals(HERE.address()));
    }

    /** A registration that was replaced is forgotten. */
    @Test
    void thoseThatCameBeforeAreForgotten() throws Exception {
        World world = World.withSessions();
        Client client = world.client("a");
        ServiceInstance here = HERE;
        Registration last = client.registry().register("web", here);
        for (int i = 0; i < 50; i++) {
            ((ClientRegistration) last).beginClose();
            last = client.registry().register("web", here);
        }
        assertThat(last.awaitRegistered(Duration.ofSeconds(40))).isTrue();
        assertThat(((ClientRegistration) last).former()).isNull();
    }

    /** A list of ten thousand is not made anew for each of ten thousand hints: the loop renews leases, too. */
    @Test
    void allHintsThatWaitAreOneStep() {
        World world = World.withRecords();
        VirtualStore connection = world.store.another();
        Client client = world.client("b", connection);
        int[] steps = {0};
        int[] changes = {0};
        FollowedPrefix<String> followed = new FollowedPrefix<>(
                client.context(),
                new FollowingMachine<>(
                        RecordKey.registrations("web"),
                        new FollowingSettings(client.timing(), client.traits().expiry(), 1_000),
                        (held, isVerified, before) -> held.record().value(),
                        () -> 0),
                new FollowedPrefix.Listener<String>() {
                    @Override
                    public void changed(FollowingAction.Changed<String> news) {
                        changes[0] += news.changes().size();
                    }

                    @Override
                    public void stepped(FollowingMachine<String> machine) {
                        steps[0]++;
                    }

                    @Override
                    public void mend(FollowingMachine<String> machine) {
                        throw new AssertionError("nothing failed");
                    }

                    @Override
                    public void full(boolean isFull) {}

                    @Override
                    public void fault(String message) {}
                });
        client.loop().post(followed::start);
        world.pass(Duration.ofSeconds(1));
        steps[0] = 0;

        world.host.stall("mandate-loop-b");
        for (int i = 0; i < 1_000; i++) {
            connection.hint(new Hint.Seen(instance(i)));
        }
        world.host.resume();
        world.pass(Duration.ofMillis(1));

        assertThat(changes[0]).isEqualTo(1_000);
        assertThat(steps[0]).isLessThanOrEqualTo(2);
    }

    private record At(long version) implements Basis, Liveness {}

    private static Observation instance(int number) {
        LeaderRecord record =
                LeaderRecord.proposal("c", new Id(1, number), new Id(2, number), "v" + number, World.LEASE, 0);
        At at = new At(number);
        return Observation.held(RecordKey.registration("web", "i" + number), at, at, 1, record.withTerm(1));
    }

    /** Memory is short for a while, and whatever the machine does fails half way. */
    @ParameterizedTest
    @MethodSource("worlds")
    void whatFailsForAWhileEndsNoFollowing(World world) throws Exception {
        Client a = world.client("a");
        VirtualStore connection = world.store.another();
        Client b = world.client("b", connection);
        ServiceWatch watch = b.registry().watch("web");
        world.pass(Duration.ofSeconds(2));
        connection.isDeaf = true;
        connection.hangs = true;
        world.onEntropy = () -> {
            throw new OutOfMemoryError("planted");
        };
        world.pass(Duration.ofMinutes(2));
        world.onEntropy = () -> {};
        connection.hangs = false;
        a.registry().register("web", HERE).awaitRegistered(Duration.ofSeconds(40));
        world.pass(Duration.ofMinutes(2));

        assertThat(watch.view().instances()).hasSize(1);
        assertThat(watch.view().stale()).isFalse();
    }
}
