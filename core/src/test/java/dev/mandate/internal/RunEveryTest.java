package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.Leadership;
import dev.mandate.RunOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A task that runs at intervals while its client leads. */
class RunEveryTest {
    private static final Duration EVERY = Duration.ofSeconds(2);

    private final World world = World.withSessions();
    private final Election election = world.client("a").election("e");
    private final List<Long> begun = new CopyOnWriteArrayList<>();
    private final List<Leadership> terms = new CopyOnWriteArrayList<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    RunEveryTest() {
        world.host.useRealThreads();
    }

    private void enter(Leadership leadership) {
        begun.add(world.host.nanos());
        terms.add(leadership);
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
    }

    private void sleep(Duration howLong) throws InterruptedException {
        world.host.await(new CompletableFuture<Void>(), world.host.nanos() + howLong.toNanos());
    }

    @Test
    void itRunsAtOnceAndThenEachIntervalAfterTheEndOfARun() {
        Duration takes = Duration.ofSeconds(3);
        election.runEvery("v", EVERY, leadership -> {
            enter(leadership);
            sleep(takes);
            running.decrementAndGet();
        });
        world.passUntilReally(() -> election.status().isLeader());
        long leads = world.host.nanos();

        world.passUntilReally(() -> begun.size() == 5);

        assertThat(Duration.ofNanos(begun.get(0) - leads)).isLessThan(Duration.ofMillis(100));
        for (int i = 1; i < 5; i++) {
            assertThat(Duration.ofNanos(begun.get(i) - begun.get(i - 1)))
                    .isBetween(takes.plus(EVERY), takes.plus(EVERY).plusMillis(100));
        }
        assertThat(terms).containsOnly(terms.get(0));
        assertThat(most).hasValue(1);
    }

    @Test
    void anIntervalOfZeroIsNoPauseAndANegativeOneIsRefused() {
        assertThatThrownBy(() -> election.runEvery("v", Duration.ofNanos(-1), leadership -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("interval");
        assertThatThrownBy(() -> election.runEvery("v", Duration.ofDays(366), leadership -> {}))
                .isInstanceOf(IllegalArgumentException.class);
        Candidacy candidacy = election.runEvery("v", Duration.ZERO, leadership -> {
            begun.add(world.host.nanos());
            sleep(Duration.ofMillis(10));
        });

        world.passUntilReally(() -> begun.size() >= 100);

        candidacy.close(Duration.ofHours(1));
        int runs = begun.size();
        world.pass(Duration.ofSeconds(1));
        assertThat(begun).hasSize(runs);
    }

    @Test
    void aLossEndsThePauseAndTheNextTermBeginsWithARun() {
        election.runEvery("v", Duration.ofHours(1), leadership -> begun.add(world.host.nanos()));
        world.passUntilReally(() -> begun.size() == 1);

        assertThat(world.store.delete("e")).isTrue();

        world.passUntilReally(() -> begun.size() == 2);
        assertThat(Duration.ofNanos(begun.get(1) - begun.get(0))).isLessThan(Duration.ofMinutes(1));
        assertThat(world.logged(line -> line.contains("the task failed"))).isEmpty();
    }

    /** A run of the term before that ignores its interrupt keeps the next term, and so the next run, waiting. */
    @Test
    void aLossInterruptsTheRunAndRunsOfTwoTermsNeverOverlap() {
        Stubborn stubborn = new Stubborn();
        election.runEvery("v", EVERY, leadership -> {
            enter(leadership);
            stubborn.run(leadership);
            running.decrementAndGet();
        });
        world.passUntilReally(stubborn.entered::get);

        assertThat(world.store.delete("e")).isTrue();
        world.passUntilReally(() -> stubborn.interrupts.get() == 1);
        world.pass(Duration.ofMinutes(1));
        assertThat(begun).hasSize(1);
        assertThat(world.isVacant("e")).isTrue();
        stubborn.let.countDown();

        world.passUntilReally(() -> begun.size() >= 3);
        assertThat(terms.get(1)).isNotSameAs(terms.get(0));
        assertThat(most).hasValue(1);
    }

    /** It swallows the interrupt and returns as if nothing had been: no run follows in that term. */
    @Test
    void aRunThatSwallowsItsInterruptIsTheLastOfItsTerm() {
        AtomicBoolean swallowed = new AtomicBoolean();
        Candidacy candidacy = election.runEvery("v", Duration.ZERO, leadership -> {
            enter(leadership);
            try {
                sleep(Duration.ofHours(1));
            } catch (InterruptedException e) {
                swallowed.set(true);
            }
        });
        world.passUntilReally(() -> begun.size() == 1);

        terms.get(0).resign();
        world.passUntilReally(swallowed::get);

        world.passUntilReally(() -> begun.size() == 2);
        assertThat(terms.get(1)).isNotSameAs(terms.get(0));
        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.LEADING);
    }

    @Test
    void aRunThatThrowsEndsTheTermAndTheNextFollowsTheCoolDown() {
        election.runEvery("v", EVERY, leadership -> {
            enter(leadership);
            if (begun.size() == 2) {
                throw new IllegalStateException("broken run");
            }
        });

        world.passUntilReally(() -> begun.size() == 3);

        assertThat(terms.get(1)).isSameAs(terms.get(0));
        assertThat(terms.get(2)).isNotSameAs(terms.get(0));
        assertThat(Duration.ofNanos(begun.get(2) - begun.get(1))).isGreaterThan(Duration.ofSeconds(2));
        assertThat(world.logged(line -> line.contains("the task failed") && line.contains("broken run")))
                .hasSize(1);
    }

    @Test
    void pausesNeedNoHeartbeatAndRunsDo() {
        AtomicBoolean isStuck = new AtomicBoolean();
        RunOptions options = RunOptions.DEFAULTS.withProgressTimeout(Duration.ofSeconds(1));
        election.runEvery("v", Duration.ofSeconds(7), options, leadership -> {
            enter(leadership);
            sleep(isStuck.get() ? Duration.ofHours(1) : Duration.ofMillis(900));
        });
        world.passUntilReally(() -> begun.size() == 4);
        assertThat(terms).containsOnly(terms.get(0));

        isStuck.set(true);
        world.passUntilReally(
                () -> !world.logged(line -> line.contains("the task stalled")).isEmpty());

        assertThat(terms.get(0).isValid()).isFalse();
    }

    @Test
    void aPoliteCloseEndsAPauseAtOnce() {
        Candidacy candidacy = election.runEvery("v", Duration.ofMinutes(30), leadership -> enter(leadership));
        world.passUntilReally(() -> begun.size() == 1);
        long from = world.host.nanos();
        Thread closer = new Thread(() -> candidacy.close(Duration.ofHours(1)));

        closer.start();
        world.passUntilReally(() -> !closer.isAlive());

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThan(Duration.ofMinutes(10));
        assertThat(world.isVacant("e")).isTrue();
        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        assertThat(begun).hasSize(1);
    }

    @Test
    void aPoliteCloseLetsTheRunEndAndStartsNoOther() {
        WaitingWork work = new WaitingWork();
        Candidacy candidacy =
                election.runEvery("v", Duration.ZERO, RunOptions.DEFAULTS.withCampaignAgain(), leadership -> {
                    enter(leadership);
                    work.run(leadership);
                });
        world.passUntilReally(work::hasEntered);
        Thread closer = new Thread(() -> candidacy.close(Duration.ofHours(1)));
        closer.start();
        world.passUntilReally(work.leadership.get()::isStopRequested);
        world.pass(Duration.ofSeconds(30));
        assertThat(work.left).isFalse();

        work.let.countDown();
        world.passUntilReally(() -> !closer.isAlive());

        assertThat(work.interrupted).isFalse();
        world.pass(Duration.ofMinutes(1));
        assertThat(begun).hasSize(1);
        assertThat(world.isVacant("e")).isTrue();
    }
}
