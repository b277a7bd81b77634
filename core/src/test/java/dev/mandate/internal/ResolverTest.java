package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.mandate.Leader;
import dev.mandate.LeaderResolver;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.ResolverOptions;
import dev.mandate.engine.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Finding the leader for those who call it, on the real loop and virtual time; L = 10 s. */
class ResolverTest {
    private static final Duration SOON = Duration.ofSeconds(2);

    private final World world = World.withSessions();
    private final VirtualStore connection = world.store.another();
    private final Client caller = world.client("caller", connection);

    static Stream<World> worlds() {
        return Stream.of(World.withSessions(), World.withRecords(), World.judged());
    }

    private static String value(Optional<Leader> leader) {
        return leader.map(Leader::value).orElse("-");
    }

    /** {@code "?"}, {@code "-"}, or the leader's value. */
    private static String text(LeaderView view) {
        return view instanceof LeaderView.Unknown ? "?" : value(view.leader());
    }

    private int reads() {
        return connection.requests.getOrDefault("read", 0);
    }

    /** Knows the leader with value {@code "at e"}, and that the store is at rest. */
    private LeaderResolver resolved() throws InterruptedException {
        LeaderResolver resolver = caller.election("e").resolver();
        assertThat(value(resolver.await(SOON))).isEqualTo("at e");
        world.pass(Duration.ofMillis(500));
        return resolver;
    }

    // ---- finding ----

    @ParameterizedTest
    @MethodSource("worlds")
    void whoWaitsIsGivenTheLeader(World any) throws Exception {
        Leadership won = any.win(any.client("a").election("e"));
        LeaderResolver resolver =
                any.client("b", any.store.another()).election("e").resolver();
        assertThat(resolver.now()).isEmpty();

        Leader leader = resolver.await(SOON).orElseThrow();

        assertThat(leader.value()).isEqualTo("at e");
        assertThat(leader.token()).isEqualTo(won.fencingToken());
        assertThat(resolver.election()).isEqualTo("e");
        assertThat(resolver.now()).contains(leader);
        won.proclaim("moved");
        any.passUntil(() -> value(resolver.now()).equals("moved"), SOON);
        any.pass(Duration.ofMinutes(5));
        assertThat(value(resolver.now())).as("as long as it leads").isEqualTo("moved");
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aVacancyIsWaitedThrough(World any) throws Exception {
        Leadership first = any.win(any.client("a").election("e"));
        Client second = any.client("c", any.store.another());
        LeaderResolver resolver =
                any.client("b", any.store.another()).election("e").resolver();
        resolver.await(SOON);
        first.close();
        any.passUntil(() -> resolver.view() instanceof LeaderView.Vacant, SOON);
        assertThat(resolver.now()).isEmpty();
        any.host.at(
                any.host.nanos() + 30_000_000_000L, () -> second.election("e").campaignAsync("second"));
        long began = any.host.nanos();

        Optional<Leader> found = resolver.await(Duration.ofMinutes(1));

        assertThat(value(found)).isEqualTo("second");
        assertThat(Duration.ofNanos(any.host.nanos() - began))
                .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(33));
    }

    @Test
    void aVacancyThatLastsEndsWithTheDeadline() throws Exception {
        LeaderResolver resolver = caller.election("e").resolver();
        long began = world.host.nanos();

        assertThat(resolver.await(Duration.ofSeconds(7))).isEmpty();

        assertThat(Duration.ofNanos(world.host.nanos() - began)).isEqualTo(Duration.ofSeconds(7));
        assertThat(resolver.view()).isInstanceOf(LeaderView.Vacant.class);
        int before = reads();
        assertThat(resolver.await(Duration.ZERO)).isEmpty();
        assertThat(resolver.await(Duration.ofSeconds(-1))).isEmpty();
        assertThat(reads()).isEqualTo(before);
    }

    @Test
    void aSilentStoreIsNoVacancy() throws Exception {
        world.win(world.client("a").election("e"));
        LeaderResolver resolver = resolved();
        connection.hangs = true;
        connection.isDeaf = true;
        world.pass(Duration.ofSeconds(5));
        assertThat(value(resolver.now())).as("within the lease").isEqualTo("at e");

        world.pass(Duration.ofSeconds(6));

        assertThat(resolver.now()).isEmpty();
        assertThat(resolver.await(Duration.ofSeconds(5))).isEmpty();
        assertThat(resolver.view()).isInstanceOf(LeaderView.Unknown.class);
        assertThat(resolver.view().age()).isGreaterThan(Duration.ofSeconds(15));
        connection.hangs = false;
        assertThat(value(resolver.await(Duration.ofSeconds(5)))).isEqualTo("at e");
    }

    /** "looks at the clock": nothing else tells it. */
    @Test
    void theLeaderIsUnknownThoughTheLoopStandsStill() throws Exception {
        world.win(world.client("a").election("e"));
        LeaderResolver resolver = resolved();

        world.host.stall("mandate-loop-caller");
        world.pass(World.LEASE.plusSeconds(1));

        assertThat(resolver.now()).isEmpty();
        assertThat(text(resolver.view())).isEqualTo("?");
    }

    @Test
    void whatIsKnownCostsTheStoreNothing() throws Exception {
        world.win(world.client("a").election("e"));
        LeaderResolver resolver = resolved();
        int before = connection.requests.values().stream().mapToInt(i -> i).sum();

        for (int i = 0; i < 1_000; i++) {
            assertThat(resolver.now()).isPresent();
            assertThat(resolver.await(Duration.ofHours(1))).isPresent();
            assertThat(text(resolver.view())).isEqualTo("at e");
        }

        assertThat(connection.requests.values().stream().mapToInt(i -> i).sum()).isEqualTo(before);
        assertThat(resolver.now().orElseThrow())
                .as("made once")
                .isSameAs(resolver.now().orElseThrow());
    }

    @Test
    void thisClientsOwnLeadershipIsKnownWithoutAnAnswer() throws Exception {
        Leadership own = world.win(caller.election("e"));
        LeaderResolver resolver =
                caller.election("e").resolver(ResolverOptions.DEFAULTS.withMaxAge(Duration.ofMillis(1)));
        world.pass(Duration.ofSeconds(25));

        assertThat(own.isValid()).isTrue();
        assertThat(value(resolver.now())).isEqualTo("at e");
        assertThat(text(resolver.view())).isEqualTo("at e");
    }

    // ---- how old it may be ----

    @Test
    void whatIsOlderThanMaxAgeIsAskedFor() throws Exception {
        world.win(world.client("a").election("e"));
        LeaderResolver resolver =
                caller.election("e").resolver(ResolverOptions.DEFAULTS.withMaxAge(Duration.ofMillis(800)));
        assertThat(value(resolver.await(SOON))).isEqualTo("at e");
        world.passUntil(() -> resolver.now().isEmpty(), Duration.ofSeconds(1));
        assertThat(text(resolver.view())).isEqualTo("?");
        int before = reads();

        assertThat(value(resolver.await(SOON))).isEqualTo("at e");

        assertThat(reads()).isEqualTo(before + 1);
        assertThat(value(resolver.now())).isEqualTo("at e");
        assertThat(resolver.view().age()).isLessThan(Duration.ofMillis(10));
        connection.hangs = true;
        world.pass(Duration.ofMillis(900));
        assertThat(resolver.await(Duration.ofSeconds(3))).isEmpty();
        assertThat(caller.election("e").view().leader()).as("known to others").isPresent();
    }

    @Test
    void anAnswerThatComesBetweenTwoReadsVouchesForNoFormerLeader() throws Exception {
        world.win(world.client("a").election("e"));
        LeaderResolver resolver =
                caller.election("e").resolver(ResolverOptions.DEFAULTS.withMaxAge(Duration.ofMillis(400)));
        assertThat(value(resolver.await(SOON))).isEqualTo("at e");
        KnownLeader known = ((ClientElection) caller.election("e")).leader();
        for (int reads = 0; reads < 5; reads++) {
            for (Supplier<String> look :
                    List.<Supplier<String>>of(() -> value(resolver.now()), () -> text(resolver.view()))) {
                world.passUntil(() -> resolver.now().isEmpty());
                View former = known.view();
                AtomicInteger left = new AtomicInteger(reads);
                world.host.onNanos = () -> {
                    if (left.getAndDecrement() == 0) {
                        known.answered().heard(world.host.nanos(), world.host.now());
                        known.know(View.VACANT);
                    }
                };

                assertThat(look.get()).isNotEqualTo("at e");

                world.host.onNanos = () -> {};
                known.know(former);
            }
        }
    }

    /** Its question is dropped when an observer's answer comes first; that answer must wake it. */
    @Test
    void whoFoundItTooOldIsWokenByAnyAnswer() throws Exception {
        world.win(world.client("a").election("e"));
        Observing observing = caller.election("e").observe(view -> {});
        world.passUntil(() -> observing.view() instanceof LeaderView.Led);
        for (int i = 0; i < 30; i++) {
            world.pass(Duration.ofMillis(137));
            LeaderResolver resolver =
                    caller.election("e").resolver(ResolverOptions.DEFAULTS.withMaxAge(Duration.ofMillis(400)));

            assertThat(value(resolver.await(Duration.ofSeconds(5)))).isEqualTo("at e");

            resolver.close();
        }
    }

    @Test
    void anAnswerIsAsOldAsItsQuestion() throws Exception {
        world.win(world.client("a").election("e"));
        LeaderResolver resolver =
                caller.election("e").resolver(ResolverOptions.DEFAULTS.withMaxAge(Duration.ofMillis(400)));
        connection.latency = Duration.ofMillis(300);

        assertThat(value(resolver.await(SOON))).isEqualTo("at e");

        assertThat(resolver.view().age()).isGreaterThanOrEqualTo(Duration.ofMillis(299));
    }

    /** A hint is no answer: whoever wants no more than so old knowledge has it confirmed. */
    @Test
    void whatAHintTellsIsConfirmedFirst() throws Exception {
        LeaderResolver resolver =
                caller.election("e").resolver(ResolverOptions.DEFAULTS.withMaxAge(Duration.ofMillis(300)));
        Client a = world.client("a");
        world.host.at(world.host.nanos() + 5_000_000_000L, () -> a.election("e").campaignAsync("at e"));

        assertThat(value(resolver.await(Duration.ofSeconds(20)))).isEqualTo("at e");

        assertThat(resolver.view().age()).isLessThan(Duration.ofMillis(300));
    }

    @Test
    void nothingIsUsedForLongerThanALease() throws Exception {
        world.win(world.client("a").election("e"));
        for (Duration maxAge : List.of(Duration.ofHours(1), Duration.ofDays(400_000))) {
            LeaderResolver resolver = caller.election("e").resolver(ResolverOptions.DEFAULTS.withMaxAge(maxAge));
            assertThat(value(resolver.await(SOON))).isEqualTo("at e");
            connection.hangs = true;
            connection.isDeaf = true;
            world.pass(World.LEASE.plusSeconds(1));
            assertThat(resolver.now()).isEmpty();
            connection.hangs = false;
            connection.isDeaf = false;
            resolver.close();
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ResolverOptions.DEFAULTS.withMaxAge(Duration.ZERO))
                .withMessage("maxAge is PT0S; it must be more than 0");
    }

    // ---- listening ----

    @Test
    void aListenerIsToldWhatCallersAreGiven() throws Exception {
        Leadership first = world.win(world.client("a").election("e"));
        LeaderResolver resolver = caller.election("e").resolver();
        List<String> told = new ArrayList<>();
        Observing observing = resolver.observe(view -> told.add(text(view)));
        world.passUntil(() -> told.contains("at e"), SOON);
        world.pass(SOON);

        resolver.failed(first.fencingToken());
        world.pass(SOON);
        first.close();
        world.passUntil(() -> told.contains("-"), SOON);
        world.win(world.client("c", world.store.another()).election("e"), "second");
        world.passUntil(() -> told.contains("second"), SOON);

        assertThat(told).containsExactly("?", "at e", "?", "at e", "-", "second");
        assertThat(text(observing.view())).isEqualTo("second");
        observing.close();
        observing.close();
        int before = told.size();
        connection.hangs = true;
        world.pass(Duration.ofSeconds(20));
        assertThat(told).hasSize(before);
    }

    @Test
    void whatAListenerThrowsKeepsNobodyWaiting() throws Exception {
        world.win(world.client("a").election("e"));
        LeaderResolver resolver = caller.election("e").resolver();
        resolver.observe(view -> {
            throw new IllegalStateException("mine");
        });

        assertThat(value(resolver.await(SOON))).isEqualTo("at e");

        assertThat(world.logged(line -> line.contains("a listener threw"))).isNotEmpty();
    }

    // ---- the end ----

    @Test
    void aClosedOneKnowsNobodyAndAsksNothing() throws Exception {
        Leadership won = world.win(world.client("a").election("e"));
        LeaderResolver resolver = resolved();
        List<String> told = new ArrayList<>();
        resolver.observe(view -> told.add(text(view)));
        world.host.settle();
        int calls = told.size();

        resolver.close();
        resolver.close();

        assertThat(resolver.now()).isEmpty();
        assertThat(resolver.await(Duration.ofHours(1))).isEmpty();
        assertThat(text(resolver.view())).isEqualTo("?");
        resolver.failed(won.fencingToken());
        world.pass(Duration.ofSeconds(5));
        int before = reads();
        world.pass(Duration.ofMinutes(5));
        assertThat(reads()).as("nobody follows it any more").isEqualTo(before);
        assertThat(told).hasSize(calls);
        assertThatIllegalStateException()
                .isThrownBy(() -> resolver.observe(view -> {}))
                .withMessageContaining("is closed; make another one");
        assertThat(value(resolved().now())).isEqualTo("at e");
    }

    @Test
    void afterItsClientWasClosedNobodyIsKnown() throws Exception {
        world.win(world.client("a").election("e"));
        LeaderResolver resolver = resolved();

        caller.close();

        assertThat(resolver.now()).isEmpty();
        assertThat(resolver.await(Duration.ofHours(1))).isEmpty();
        resolver.close();
        assertThatIllegalStateException().isThrownBy(() -> caller.election("e").resolver());
        assertThatIllegalStateException().isThrownBy(() -> resolver.observe(view -> {}));
    }

    /** Waits on a thread of its own for a leader that does not come. */
    private Waiter waiter(LeaderResolver resolver) {
        Waiter waiter = new Waiter(resolver);
        waiter.thread.start();
        world.await(() -> waiter.thread.getState() == Thread.State.WAITING);
        return waiter;
    }

    private static final class Waiter {
        final AtomicReference<Object> outcome = new AtomicReference<>();
        final Thread thread;

        Waiter(LeaderResolver resolver) {
            this.thread = new Thread(() -> {
                try {
                    outcome.set(resolver.await(Duration.ofHours(1)));
                } catch (InterruptedException e) {
                    outcome.set(e);
                }
            });
            thread.setDaemon(true);
        }
    }

    @Test
    void closingEndsTheWaiting() {
        LeaderResolver resolver = caller.election("e").resolver();
        List<Waiter> waiters = List.of(waiter(resolver), waiter(resolver));

        resolver.close();

        waiters.forEach(waiter -> world.await(() -> waiter.outcome.get() != null));
        assertThat(waiters).extracting(waiter -> waiter.outcome.get()).containsOnly(Optional.empty());
    }

    @Test
    void closingTheClientEndsTheWaiting() {
        Waiter waiter = waiter(caller.election("e").resolver());

        caller.close();

        world.await(() -> waiter.outcome.get() != null);
        assertThat(waiter.outcome).hasValue(Optional.empty());
    }

    @Test
    void whoWaitsCanBeInterrupted() {
        LeaderResolver resolver = caller.election("e").resolver();
        Waiter waiter = waiter(resolver);

        waiter.thread.interrupt();

        world.await(() -> waiter.outcome.get() != null);
        assertThat(waiter.outcome.get()).isInstanceOf(InterruptedException.class);
        assertThat(resolver.now()).isEmpty();
    }

    @Test
    void allWhoWaitAreGivenTheLeader() {
        LeaderResolver resolver = caller.election("e").resolver();
        List<Waiter> waiters = List.of(waiter(resolver), waiter(resolver), waiter(resolver));

        world.win(world.client("a").election("e"));
        world.pass(SOON);

        waiters.forEach(waiter -> world.await(() -> waiter.outcome.get() != null));
        assertThat(waiters)
                .allSatisfy(waiter -> assertThat(value((Optional<Leader>) waiter.outcome.get()))
                        .isEqualTo("at e"));
    }
}
