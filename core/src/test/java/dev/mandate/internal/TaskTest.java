package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.OverrunPolicy;
import dev.mandate.RunOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a task that returns, throws, stalls, is unhealthy or does not stop means. */
class TaskTest {
    private final World world = World.withSessions();

    // ---- returning, throwing ----

    @Test
    void aTaskThatReturnsEndsTermAndCandidacyAndReleases() {
        AtomicReference<Leadership> seen = new AtomicReference<>();
        AtomicBoolean done = new AtomicBoolean();

        Candidacy candidacy = world.client("a").election("e").runWhileLeader("v", seen::set);
        candidacy.done().thenAccept(nothing -> done.set(true));
        world.passUntil(done::get);

        assertThat(seen.get().isValid()).isFalse();
        assertThat(world.isVacant("e")).isTrue();
        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        assertThat(candidacy.status().reason()).contains("the task returned");
        world.pass(Duration.ofMinutes(5));
        assertThat(world.isVacant("e")).isTrue();
    }

    @Test
    void aTaskThatReturnsStandsAgainIfTold() {
        List<Long> terms = new ArrayList<>();
        world.client("a")
                .election("e")
                .runWhileLeader(
                        "v",
                        RunOptions.DEFAULTS.withCampaignAgain(),
                        leadership -> terms.add(leadership.fencingToken().value()));

        world.passUntil(() -> terms.size() >= 3);

        assertThat(terms).isSorted().doesNotHaveDuplicates();
    }

    /** Cool-downs of L/4, L/2, L, 2 L: fewer and fewer attempts. */
    @Test
    void aTaskThatThrowsStandsAgainAfterCoolDownsThatGrow() {
        List<Long> begun = new ArrayList<>();
        Candidacy candidacy = world.client("a").election("e").runWhileLeader("v", leadership -> {
            begun.add(world.host.nanos());
            throw new IllegalStateException("broken work");
        });

        world.passUntil(() -> begun.size() == 1);
        world.pass(Duration.ofMillis(100));
        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.COOLING_DOWN);
        assertThat(candidacy.status().reason()).contains("the task failed");
        world.passUntil(() -> begun.size() == 5, Duration.ofMinutes(2));

        for (int i = 2; i < begun.size(); i++) {
            long before = begun.get(i - 1) - begun.get(i - 2);
            assertThat(begun.get(i) - begun.get(i - 1)).isGreaterThan(before * 3 / 2);
        }
        assertThat(world.logged(line -> line.contains("the task failed") && line.contains("broken work")))
                .hasSize(5);
        world.passUntil(() -> world.isVacant("e"));
    }

    @Test
    void anErrorCountsLikeAnException() {
        AtomicInteger runs = new AtomicInteger();
        world.client("a").election("e").runWhileLeader("v", leadership -> {
            runs.incrementAndGet();
            throw new StackOverflowError("deep");
        });

        world.passUntil(() -> runs.get() == 2);
    }

    @Test
    void whatATaskThrowsEndsNoOtherTerm() {
        Client client = world.client("a");
        Leadership other = world.win(client.election("other"));
        AtomicInteger runs = new AtomicInteger();
        client.election("e").runWhileLeader("v", leadership -> {
            runs.incrementAndGet();
            throw new Exception("broken work");
        });

        world.passUntil(() -> runs.get() == 4, Duration.ofMinutes(2));

        assertThat(other.isValid()).isTrue();
    }

    // ---- loss ----

    @Test
    void onLossTheTaskIsInterruptedAtItsStopAndWhatItThrowsThenIsNoFailure() {
        world.host.useRealThreads();
        WaitingWork work = new WaitingWork();
        CompletableFuture<EndReason> lost = new CompletableFuture<>();
        world.client("a").election("e").runWhileLeader("v", leadership -> {
            leadership.ended().thenAccept(lost::complete);
            work.run(leadership);
            throw new IllegalStateException("because of the interrupt");
        });
        world.passUntilReally(work::hasEntered);

        world.store.hangs = true;
        world.pass(Duration.ofMillis(7_325));

        world.await(work.left::get);
        world.await(lost::isDone);
        assertThat(work.interrupted).isTrue();
        assertThat(work.leadership.get().isValid()).isFalse();
        assertThat(lost).isCompletedWithValue(EndReason.LEASE_RAN_OUT);
        assertThat(world.logged(line -> line.contains("the task failed"))).isEmpty();
    }

    @Test
    void afterALossTheTaskRunsAgainWithAnotherTerm() {
        world.host.useRealThreads();
        List<Long> terms = Collections.synchronizedList(new ArrayList<>());
        world.client("a").election("e").runWhileLeader("v", leadership -> {
            terms.add(leadership.fencingToken().value());
            new CompletableFuture<Void>().get();
        });
        world.passUntilReally(() -> terms.size() == 1);

        assertThat(world.store.delete("e")).isTrue();
        world.passUntilReally(() -> terms.size() == 2);

        assertThat(terms.get(1)).isGreaterThan(terms.get(0));
    }

    /** A thread of a pool must not take along an interrupt that was meant for the term before. */
    @Test
    void theInterruptDoesNotLeakIntoThePool() {
        world.host.useRealThreads();
        Stubborn work = new Stubborn();
        AtomicReference<Boolean> leaked = new AtomicReference<>();
        world.executor = task -> new Thread(() -> {
                    task.run();
                    leaked.compareAndSet(null, Thread.currentThread().isInterrupted());
                })
                .start();
        AtomicReference<Leadership> won = new AtomicReference<>();
        world.client("a").election("e").runWhileLeader("v", leadership -> {
            won.set(leadership);
            work.run(leadership);
            // Leaves with the flag set, as code does that restores it.
            Thread.currentThread().interrupt();
        });
        world.passUntilReally(work.entered::get);
        leaked.set(null);

        won.get().resign();
        world.await(() -> work.interrupts.get() == 1);
        leaked.set(null);
        work.let.countDown();
        world.await(() -> leaked.get() != null);

        assertThat(leaked.get()).isFalse();
    }

    @Test
    void aResignedTaskIsInterruptedReleasesAndStandsAgainAfterTheCoolDown() {
        world.host.useRealThreads();
        List<WaitingWork> runs = Collections.synchronizedList(new ArrayList<>());
        Candidacy candidacy = world.client("a").election("e").runWhileLeader("v", leadership -> {
            WaitingWork work = new WaitingWork();
            runs.add(work);
            work.run(leadership);
        });
        world.passUntilReally(() -> runs.size() == 1 && runs.get(0).hasEntered());
        Leadership first = runs.get(0).leadership.get();

        first.resign();
        assertThat(first.isValid()).isFalse();
        world.await(() -> world.host.running() == 0);
        world.passUntil(() -> world.isVacant("e"));
        long released = world.host.nanos();
        world.pass(Duration.ofMillis(10));
        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.COOLING_DOWN);
        world.passUntilReally(() -> runs.size() == 2);

        assertThat(Duration.ofNanos(world.host.nanos() - released)).isGreaterThan(Duration.ofSeconds(2));
    }

    /**
     * The end of a lease is first seen by one thread and told by it a moment later. Work that asks in between returns,
     * and that must not be taken for work that is done: its candidacy would be over, and nobody would know.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTaskThatReturnsBecauseItsTermIsOverHasNotCompleted(boolean throwing) {
        List<Leadership> runs = new ArrayList<>();
        Candidacy candidacy = world.client("a").election("e").runWhileLeader("v", leadership -> {
            runs.add(leadership);
            if (runs.size() == 1) {
                ((WonLeadership) leadership).term().cell().latch();
                if (throwing) {
                    leadership.ensureValid();
                }
            }
        });

        world.passUntil(() -> runs.size() == 2);
        world.pass(Duration.ofSeconds(1));

        assertThat(((WonLeadership) runs.get(0)).reason()).isEqualTo(EndReason.LEASE_RAN_OUT);
        assertThat(((WonLeadership) runs.get(1)).reason()).isEqualTo(EndReason.COMPLETED);
        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        assertThat(world.logged(line -> line.contains("the task failed"))).isEmpty();
    }

    /** The record must stand until the work has stopped. */
    @Test
    void theRecordIsReleasedOnlyWhenTheWorkHasStopped() {
        world.host.useRealThreads();
        Stubborn work = new Stubborn();
        AtomicReference<Leadership> won = new AtomicReference<>();
        world.client("a").election("e").runWhileLeader("v", leadership -> {
            won.set(leadership);
            work.run(leadership);
        });
        world.passUntilReally(() -> work.entered.get() && won.get() != null);

        won.get().resign();
        for (int i = 0; i < 1_600; i++) {
            world.pass(Duration.ofMillis(1));
            assertThat(world.isVacant("e")).isFalse();
        }
        work.let.countDown();
        world.await(() -> world.host.running() == 0);

        world.passUntil(() -> world.isVacant("e"));
        assertThat(world.logged(line -> line.contains("OVERRUN"))).isEmpty();
    }

    // ---- progress and health ----
    // ---- the executor ----

    @Test
    void anExecutorThatRefusesIsAFailedTaskAndNobodyLeadsMeanwhile() {
        AtomicBoolean refuses = new AtomicBoolean(true);
        AtomicInteger runs = new AtomicInteger();
        world.executor = task -> {
            if (refuses.get()) {
                throw new RejectedExecutionException("full");
            }
            task.run();
        };
        world.client("a").election("e").runWhileLeader("v", leadership -> runs.incrementAndGet());
        world.passUntil(() -> !world.logged(line -> line.contains("the executor refused the task"))
                .isEmpty());
        world.pass(Duration.ofMillis(100));
        assertThat(world.isVacant("e")).isTrue();

        refuses.set(false);
        world.passUntil(() -> runs.get() == 1);
    }

    @Test
    void aTermThatIsLostBeforeItsTaskStartsNeverStartsIt() {
        List<Runnable> kept = new ArrayList<>();
        AtomicInteger runs = new AtomicInteger();
        world.executor = kept::add;
        world.client("a").election("e").runWhileLeader("v", leadership -> runs.incrementAndGet());
        world.passUntil(() -> !kept.isEmpty());

        world.store.hangs = true;
        world.pass(World.LEASE);
        List.copyOf(kept).forEach(Runnable::run);

        assertThat(runs).hasValue(0);
    }

    /**
     * A pool that is busy takes a task and starts it later. Nothing of it runs: there is nothing to wait for, and
     * nothing to halt.
     */
    @ParameterizedTest
    @EnumSource(OverrunPolicy.class)
    void aTaskThatNeverStartedIsNoOverrunAndTheRecordIsReleasedAtOnce(OverrunPolicy policy) {
        world.set(Setting.ON_OVERRUN, policy);
        List<Runnable> kept = new ArrayList<>();
        AtomicInteger runs = new AtomicInteger();
        world.executor = kept::add;
        world.client("a").election("e").runWhileLeader("v", leadership -> runs.incrementAndGet());
        world.passUntil(() -> !kept.isEmpty());

        world.client("b").election("e").evict();
        world.passUntil(() -> world.isVacant("e"), Duration.ofSeconds(1));
        world.pass(World.LEASE);

        List.copyOf(kept).get(0).run();
        assertThat(runs).hasValue(0);
        assertThat(world.host.halts).isEmpty();
        assertThat(world.logged(line -> line.contains("OVERRUN") || line.contains("HALT")))
                .isEmpty();
    }

    /** It took the task and said that it did not: the work runs, and the record must stand until it has stopped. */
    @Test
    void anExecutorThatRefusesWhatItRunsReleasesNothing() {
        Stubborn work = new Stubborn();
        world.executor = task -> {
            new Thread(task).start();
            world.await(work.entered::get);
            throw new RejectedExecutionException("full");
        };
        world.client("a").election("e").runWhileLeader("v", work::run);
        world.passUntil(() -> !world.logged(line -> line.contains("the executor refused the task"))
                .isEmpty());

        world.pass(Duration.ofMillis(1_500));
        assertThat(world.isVacant("e")).isFalse();
        work.let.countDown();

        world.passUntilReally(() -> world.isVacant("e"));
    }

    @Test
    void whyATermWasEndedForItsTaskIsAWarningOfItsOwn() {
        List<Runnable> kept = new ArrayList<>();
        world.executor = kept::add;
        world.client("a")
                .election("e")
                .runWhileLeader("v", RunOptions.DEFAULTS.withProgressTimeout(Duration.ofSeconds(3)), leadership -> {});
        world.passUntil(() -> !kept.isEmpty());

        world.pass(Duration.ofSeconds(4));

        assertThat(world.logged(line -> line.startsWith("WARNING the task stalled election=e")))
                .hasSize(1);
        world.passUntil(() -> world.isVacant("e"), Duration.ofMillis(100));
    }
}
