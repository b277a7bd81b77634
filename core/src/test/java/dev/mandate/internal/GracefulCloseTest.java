package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.RunOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Closing with a grace period: the work may end by itself, under a lease that is renewed, and then is interrupted. */
class GracefulCloseTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofSeconds(5);

    private final World world = World.withSessions();
    private final WaitingWork work = new WaitingWork();
    private final AtomicInteger runs = new AtomicInteger();

    static Stream<World> worlds() {
        return Stream.of(World.withSessions(), World.withRecords(), World.judged());
    }

    private Candidacy begin(World in, Client client, RunOptions options) {
        in.host.useRealThreads();
        Candidacy candidacy = client.election("e").runWhileLeader("v", options, leadership -> {
            runs.incrementAndGet();
            work.run(leadership);
        });
        in.passUntilReally(work::hasEntered);
        return candidacy;
    }

    private Candidacy begin() {
        return begin(world, world.client("a"), RunOptions.DEFAULTS.withCampaignAgain());
    }

    /** Closes on a thread of its own, which waits when this returns. */
    private Thread close(World in, Runnable close) {
        Thread closer = new Thread(close, "closer");
        closer.setDaemon(true);
        closer.start();
        in.await(() -> closer.getState() == Thread.State.WAITING || !closer.isAlive());
        in.host.settle();
        return closer;
    }

    private static boolean isOver(Candidacy candidacy) {
        return candidacy.status().state() == CandidacyStatus.State.NOT_CAMPAIGNING;
    }

    // ---- one candidacy ----

    @ParameterizedTest
    @MethodSource("worlds")
    void workThatEndsInTimeIsNotInterruptedAndItsLeaseIsRenewedMeanwhile(World each) {
        Candidacy candidacy = begin(each, each.client("a"), RunOptions.DEFAULTS.withCampaignAgain());
        CompletableFuture<Leadership> rival =
                each.client("b", each.store.another()).election("e").campaignAsync("v");
        Leadership leadership = work.leadership.get();
        assertThat(leadership.isStopRequested()).isFalse();

        Thread closer = close(each, () -> candidacy.close(LONG));
        assertThat(leadership.isStopRequested()).isTrue();
        for (int i = 0; i < 30; i++) {
            each.pass(Duration.ofSeconds(1));
            assertThat(leadership.isValid()).isTrue();
            assertThat(rival).isNotDone();
        }
        work.let.countDown();
        each.passUntilReally(() -> !closer.isAlive());

        assertThat(work.interrupted).isFalse();
        each.passUntilReally(rival::isDone);
        each.pass(Duration.ofMinutes(1));
        assertThat(isOver(candidacy)).isTrue();
        assertThat(runs).hasValue(1);
    }

    @Test
    void workThatOutlivesTheGraceIsInterruptedAndReleasedWhenItHasStopped() {
        Candidacy candidacy = begin();
        long from = world.host.nanos();

        Thread closer = close(world, () -> candidacy.close(SHORT));
        world.pass(SHORT.minusMillis(1));
        assertThat(work.left).isFalse();
        assertThat(world.isVacant("e")).isFalse();
        world.passUntilReally(work.left::get);

        assertThat(work.interrupted).isTrue();
        assertThat(((WonLeadership) work.leadership.get()).reason()).isEqualTo(EndReason.WITHDRAWN);
        assertThat(Duration.ofNanos(world.host.nanos() - from)).isGreaterThanOrEqualTo(SHORT);
        world.passUntilReally(() -> world.isVacant("e") && !closer.isAlive());
    }

    /** After the grace nothing is special: an overrun is one, and the record stands while the work does. */
    @Test
    void workThatOutlivesTheDrainBudgetAsWellIsAnOverrun() {
        world.host.useRealThreads();
        Stubborn stubborn = new Stubborn();
        Candidacy candidacy = world.client("a").election("e").runWhileLeader("v", stubborn::run);
        world.passUntilReally(stubborn.entered::get);

        close(world, () -> candidacy.close(SHORT));
        world.pass(SHORT.minusMillis(1));
        assertThat(stubborn.interrupts).hasValue(0);
        world.passUntilReally(() -> stubborn.interrupts.get() == 1);
        world.passUntilReally(
                () -> !world.logged(line -> line.contains("OVERRUN")).isEmpty());

        assertThat(world.isVacant("e")).isFalse();
        stubborn.let.countDown();
        world.passUntilReally(() -> world.isVacant("e"));
    }

    /** The watchdog needs no grace: a lease that cannot be renewed ends the work, and with it the candidacy. */
    @Test
    void aTermThatIsLostMeanwhileEndsTheCandidacy() {
        Candidacy candidacy = begin();
        Thread closer = close(world, () -> candidacy.close(LONG));

        world.store.hangs = true;
        world.pass(Duration.ofMillis(7_325));
        world.await(work.left::get);
        assertThat(work.interrupted).isTrue();
        assertThat(work.leadership.get().isValid()).isFalse();
        world.store.hangs = false;
        world.passUntilReally(() -> !closer.isAlive());

        world.pass(Duration.ofMinutes(5));
        assertThat(isOver(candidacy)).isTrue();
        assertThat(runs).hasValue(1);
    }

    @Test
    void aTermThatIsEvictedMeanwhileIsInterruptedAtOnce() {
        Candidacy candidacy = begin();
        Thread closer = close(world, () -> candidacy.close(LONG));

        world.client("b", world.store.another()).election("e").evict();
        world.passUntilReally(() -> work.left.get() && !closer.isAlive());

        assertThat(work.interrupted).isTrue();
        assertThat(world.isVacant("e")).isTrue();
        world.pass(Duration.ofMinutes(5));
        assertThat(runs).hasValue(1);
    }

    @Test
    void workThatFailsMeanwhileIsNotTriedAgain() {
        AtomicReference<Candidacy> own = new AtomicReference<>();
        own.set(world.client("a").election("e").runWhileLeader("v", leadership -> {
            runs.incrementAndGet();
            own.get().close(LONG);
            throw new IllegalStateException("while it was being closed");
        }));

        world.passUntil(() -> runs.get() == 1 && isOver(own.get()));

        assertThat(world.isVacant("e")).isTrue();
        world.pass(Duration.ofMinutes(5));
        assertThat(runs).hasValue(1);
    }

    @Test
    void aCandidacyThatDoesNotLeadEndsAtOnce() {
        Leadership rival = world.win(world.client("b", world.store.another()).election("e"));
        Candidacy candidacy = world.client("a").election("e").runWhileLeader("v", won -> runs.incrementAndGet());
        world.pass(Duration.ofSeconds(1));
        long from = world.host.nanos();

        candidacy.close(LONG);

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThan(Duration.ofMillis(100));
        assertThat(isOver(candidacy)).isTrue();
        rival.close();
        world.pass(Duration.ofMinutes(1));
        assertThat(world.isVacant("e")).isTrue();
        assertThat(runs).hasValue(0);
    }

    /** Its loop hears of the close before it hears of the campaign. */
    @Test
    void aCandidacyThatIsClosedBeforeItBeganNeverDoes() {
        Client client = world.client("a");
        world.host.stall("mandate-loop");
        CompletableFuture<Leadership> future = client.election("e").campaignAsync("v");
        OwnCandidacy own = ((ClientElection) client.election("e")).candidacy();
        world.host.useRealThreads();
        Thread closer = close(world, () -> client.close(LONG));

        world.host.resume();
        // The client's executor completes it, perhaps after the close.
        world.passUntilReally(() -> !closer.isAlive() && future.isDone());

        assertThat(world.store.closed).isOne();
        assertThat(own.over()).isDone();
        assertThat(future).isCompletedExceptionally();
        assertThat(world.store.requests.getOrDefault("acquire", 0)).isZero();
    }

    /** At any instant of a campaign: nothing is left behind, and nothing begins. */
    @ParameterizedTest
    @MethodSource("worlds")
    void closingAtAnyInstantOfACampaignLeavesNothingHeld(World each) {
        for (int at = 0; at < 400; at += 7) {
            VirtualStore connection = each.store.another();
            connection.latency = Duration.ofMillis(40);
            List<Leadership> begun = new ArrayList<>();
            Client client = each.client("a" + at, connection);
            Candidacy candidacy = client.election("e").runWhileLeader("v", begun::add);
            each.pass(Duration.ofMillis(at));

            candidacy.close(LONG);

            assertThat(isOver(candidacy)).isTrue();
            int then = begun.size();
            each.pass(Duration.ofSeconds(30));
            assertThat(begun).hasSize(then).noneMatch(Leadership::isValid);
            assertThat(each.isVacant("e")).isTrue();
            client.close();
        }
    }

    // ---- several closes, and from anywhere ----

    @Test
    void aCloseWithoutGraceEndsTheGrace() {
        Candidacy candidacy = begin();
        Thread closer = close(world, () -> candidacy.close(LONG));
        world.pass(Duration.ofSeconds(30));
        assertThat(work.left).isFalse();

        Thread second = close(world, candidacy::close);

        world.passUntilReally(() -> !closer.isAlive() && !second.isAlive());
        assertThat(work.interrupted).isTrue();
        assertThat(world.isVacant("e")).isTrue();
    }

    @Test
    void ofSeveralTheEarliestGraceCounts() {
        Candidacy candidacy = begin();
        Thread closer = close(world, () -> candidacy.close(LONG));
        Thread second = close(world, () -> candidacy.close(SHORT));

        world.pass(SHORT.minusMillis(1));
        assertThat(work.left).isFalse();
        world.passUntilReally(() -> !closer.isAlive() && !second.isAlive());

        assertThat(work.interrupted).isTrue();
        candidacy.close(LONG);
    }

    @Test
    void aTaskMayCloseItsCandidacyAndHasTheGrace() {
        world.host.useRealThreads();
        AtomicReference<Candidacy> own = new AtomicReference<>();
        own.set(world.client("a").election("e").runWhileLeader("v", leadership -> {
            runs.incrementAndGet();
            world.await(() -> own.get() != null);
            own.get().close(SHORT);
            work.run(leadership);
        }));
        world.passUntilReally(work::hasEntered);
        assertThat(work.leadership.get().isStopRequested()).isTrue();
        assertThat(work.leadership.get().isValid()).isTrue();

        world.pass(SHORT.minusMillis(1));
        assertThat(work.left).isFalse();
        world.pass(Duration.ofMillis(2));

        world.await(work.left::get);
        assertThat(work.interrupted).isTrue();
        world.passUntilReally(() -> isOver(own.get()));
        assertThat(world.isVacant("e")).isTrue();
        assertThat(runs).hasValue(1);
    }

    @Test
    void aTaskMayCloseItsClientAndHasTheGrace() {
        world.host.useRealThreads();
        Client client = world.client("a");
        client.election("e").runWhileLeader("v", leadership -> {
            client.close(SHORT);
            work.run(leadership);
        });
        world.passUntilReally(work::hasEntered);

        world.pass(SHORT.minusMillis(1));
        assertThat(work.left).isFalse();
        assertThat(work.leadership.get().isValid()).isTrue();
        world.passUntilReally(() -> world.store.closed == 1);

        assertThat(work.interrupted).isTrue();
        assertThat(world.isVacant("e")).isTrue();
    }

    @Test
    void aListenerMayCloseItsCandidacy() {
        world.host.useRealThreads();
        Candidacy candidacy = world.client("a").election("e").runWhileLeader("v", work::run);
        candidacy.onChange(now -> {
            if (now.isLeader()) {
                candidacy.close(LONG);
            }
        });
        world.passUntilReally(work::hasEntered);
        world.passUntilReally(work.leadership.get()::isStopRequested);

        work.let.countDown();

        world.passUntilReally(() -> isOver(candidacy));
        assertThat(work.interrupted).isFalse();
    }

    @Test
    void whoeverIsInterruptedWhileClosingClosesAtOnce() {
        Candidacy candidacy = begin();
        AtomicReference<Boolean> isFlagKept = new AtomicReference<>();
        Thread closer = close(world, () -> {
            candidacy.close(LONG);
            isFlagKept.set(Thread.currentThread().isInterrupted());
        });

        closer.interrupt();
        world.await(() -> isFlagKept.get() != null);

        assertThat(isFlagKept.get()).isTrue();
        world.passUntilReally(() -> world.isVacant("e"));
        assertThat(work.interrupted).isTrue();
    }

    @Test
    void aGraceOfZeroIsNoneAndANegativeOneIsRefused() {
        Client client = world.client("a");
        Candidacy candidacy = begin(world, client, RunOptions.DEFAULTS);
        for (Duration wrong : List.of(Duration.ofNanos(-1), Duration.ofDays(366))) {
            assertThatThrownBy(() -> candidacy.close(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("grace is " + wrong);
            assertThatThrownBy(() -> client.close(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(work.leadership.get().isStopRequested()).isFalse();

        close(world, () -> candidacy.close(Duration.ZERO));

        world.passUntilReally(() -> world.isVacant("e"));
        assertThat(work.interrupted).isTrue();
    }

    // ---- a whole client ----

    @Test
    void aClientWaitsForAllItsWorkAndBeginsNone() {
        Client client = world.client("a");
        Candidacy candidacy = begin(world, client, RunOptions.DEFAULTS);
        CompletableFuture<Leadership> own = client.election("own").campaignAsync("v");
        world.passUntilReally(own::isDone);
        List<Object> told = new ArrayList<>();
        own.join().stopRequested().thenAccept(told::add);
        Leadership rival = world.win(world.client("b", world.store.another()).election("other"));
        CompletableFuture<Leadership> waiting = client.election("other").campaignAsync("v");

        Thread closer = close(world, () -> client.close(LONG));
        world.passUntilReally(waiting::isDone);

        assertThat(waiting).isCompletedExceptionally();
        assertThat(own.join().isStopRequested()).isTrue();
        world.await(() -> told.size() == 1);
        Election another = client.election("another");
        assertThatThrownBy(() -> another.campaignAsync("v"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThat(((ClientElection) another).candidacy()).isNull();
        world.pass(Duration.ofSeconds(30));
        assertThat(own.join().isValid()).isTrue();
        assertThat(client.elections()).containsOnlyKeys("e", "own");

        work.let.countDown();
        world.passUntilReally(() -> isOver(candidacy));
        assertThat(world.isVacant("e")).isTrue();
        assertThat(world.store.closed).isZero();
        own.join().resign();
        world.passUntilReally(() -> !closer.isAlive());

        assertThat(world.store.closed).isEqualTo(1);
        assertThat(world.isVacant("own")).isTrue();
        assertThat(work.interrupted).isFalse();
        assertThat(rival.isValid()).isTrue();
    }

    @Test
    void aClientWithoutWorkIsClosedAtOnce() {
        Client client = world.client("a");
        world.win(client.election("e")).close();
        long from = world.host.nanos();

        client.close(LONG);
        client.close(LONG);

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThan(Duration.ofMillis(100));
        assertThat(world.store.closed).isEqualTo(1);
    }

    @Test
    void whoWaitsInACampaignIsToldThatTheClientIsClosed() {
        world.win(world.client("b", world.store.another()).election("e"));
        Client client = world.client("a");
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        close(world, () -> {
            try {
                client.election("e").campaign("v", LONG);
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        world.pass(Duration.ofSeconds(1));

        close(world, () -> client.close(LONG));
        world.passUntilReally(() -> thrown.get() != null);

        assertThat(thrown.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("is closed");
    }

    // ---- what the work hears ----

    @Test
    void theStageCompletesWithTheLossAsWell() {
        Leadership leadership = world.win(world.client("a").election("e"));
        List<String> told = new ArrayList<>();
        leadership.stopRequested().thenRun(() -> told.add("before"));
        world.pass(Duration.ofSeconds(1));
        assertThat(told).isEmpty();

        leadership.resign();
        world.pass(Duration.ofMillis(1));
        assertThat(leadership.isStopRequested()).isTrue();
        leadership.stopRequested().thenRun(() -> told.add("after"));
        world.pass(Duration.ofMillis(1));

        assertThat(told).containsExactly("before", "after");
    }
}
