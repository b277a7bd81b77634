package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.Leadership;
import dev.mandate.RunOptions;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a task that no longer beats, or is unhealthy, means. */
class TaskHealthTest {
    private final World world = World.withSessions();
    private final AtomicInteger terms = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void aTaskThatStopsBeatingHasStalled() {
        world.host.useRealThreads();
        WaitingWork work = new WaitingWork();
        Candidacy candidacy = world.client("a")
                .election("e")
                .runWhileLeader("v", RunOptions.DEFAULTS.withProgressTimeout(Duration.ofSeconds(3)), work::run);
        world.passUntil(() -> world.host.running() > 0);
        // Its beats are awaited from now on, and its thread is given no virtual time to be late in.
        world.await(work::hasEntered);

        for (int i = 0; i < 20; i++) {
            world.pass(Duration.ofSeconds(2));
            assertThat(work.leadership.get().isValid()).isTrue();
            work.leadership.get().reportProgress();
        }
        world.pass(Duration.ofMillis(2_900));
        assertThat(work.leadership.get().isValid()).isTrue();
        world.pass(Duration.ofMillis(200));

        assertThat(work.leadership.get().isValid()).isFalse();
        world.await(work.left::get);
        assertThat(work.interrupted).isTrue();
        world.passUntilReally(() -> candidacy.status().reason().contains("the task stalled"));
        world.await(
                () -> !world.logged(line -> line.contains("the task stalled")).isEmpty());
    }

    /** Its executor was busy, or whoever started it was held up. */
    @Test
    void aTaskThatBeginsLateHasAsLongToBeat() {
        world.host.useRealThreads();
        Queue<Runnable> kept = new ConcurrentLinkedQueue<>();
        world.executor = kept::add;
        WaitingWork work = new WaitingWork();
        Candidacy candidacy = world.client("a")
                .election("e")
                .runWhileLeader("v", RunOptions.DEFAULTS.withProgressTimeout(Duration.ofSeconds(3)), work::run);
        world.passUntil(() -> candidacy.status().isLeader());
        // However long the thread that hands it over takes, it takes no virtual time.
        world.await(() -> !kept.isEmpty());

        world.pass(Duration.ofMillis(2_500));
        for (Runnable piece = kept.poll(); piece != null; piece = kept.poll()) {
            new Thread(piece).start();
        }
        world.await(work::hasEntered);

        world.pass(Duration.ofMillis(2_900));
        assertThat(work.leadership.get().isValid()).isTrue();
        world.pass(Duration.ofMillis(200));
        assertThat(work.leadership.get().isValid()).isFalse();
    }

    @Test
    void aCheckThatSaysNoEndsTheTerm() {
        world.host.useRealThreads();
        WaitingWork work = new WaitingWork();
        AtomicBoolean healthy = new AtomicBoolean(true);
        AtomicInteger checks = new AtomicInteger();
        world.client("a")
                .election("e")
                .runWhileLeader(
                        "v",
                        RunOptions.DEFAULTS.withHealthCheck(
                                () -> {
                                    checks.incrementAndGet();
                                    return healthy.get();
                                },
                                Duration.ofSeconds(1),
                                Duration.ofMillis(200)),
                        work::run);
        world.passUntilReally(work::hasEntered);
        for (int i = 1; i <= 5; i++) {
            int expected = i;
            // A check on a real thread is given no virtual time to be late in.
            world.passUntilReally(() -> {
                world.await(() -> world.host.running() <= 1);
                return checks.get() == expected;
            });
            assertThat(work.leadership.get().isValid()).isTrue();
        }

        healthy.set(false);
        world.passUntilReally(work.left::get);

        assertThat(work.interrupted).isTrue();
        world.await(() ->
                !world.logged(line -> line.contains("the health check failed")).isEmpty());
    }

    @Test
    void aCheckThatThrowsEndsTheTerm() {
        world.host.useRealThreads();
        WaitingWork work = new WaitingWork();
        world.client("a")
                .election("e")
                .runWhileLeader(
                        "v",
                        RunOptions.DEFAULTS.withHealthCheck(
                                () -> {
                                    throw new IllegalStateException("no database");
                                },
                                Duration.ofSeconds(1),
                                Duration.ofMillis(200)),
                        work::run);

        world.passUntilReally(work::hasEntered);
        world.passUntilReally(() -> {
            // A check on a real thread is given no virtual time to be late in.
            world.await(() -> world.host.running() <= 1);
            return work.left.get();
        });

        assertThat(work.interrupted).isTrue();
        world.await(() -> !world.logged(line -> line.contains("no database")).isEmpty());
    }

    /**
     * It is interrupted, too; one that ignores that keeps others from being started, so that at most one thread hangs.
     */
    @Test
    void aCheckThatHangsEndsTheTermAndNoOtherIsStartedBesideIt() {
        world.host.useRealThreads();
        Stubborn check = new Stubborn();
        AtomicInteger checks = new AtomicInteger();
        AtomicInteger terms = new AtomicInteger();
        world.client("a")
                .election("e")
                .runWhileLeader(
                        "v",
                        RunOptions.DEFAULTS.withHealthCheck(
                                () -> {
                                    checks.incrementAndGet();
                                    check.run(null);
                                    return true;
                                },
                                Duration.ofSeconds(1),
                                Duration.ofMillis(200)),
                        leadership -> {
                            terms.incrementAndGet();
                            new CompletableFuture<Void>().get();
                        });

        world.passUntilReally(() -> terms.get() >= 3);

        assertThat(checks).hasValue(1);
        world.await(() -> check.interrupts.get() == 1);
        check.let.countDown();
    }

    /** It says "no" when it is interrupted at last; by then another term has begun. */
    @Test
    void aCheckOfAFormerTermSaysNothingOfTheNext() {
        world.host.useRealThreads();
        Stubborn check = new Stubborn();
        AtomicInteger checks = new AtomicInteger();
        AtomicBoolean hasAnswered = new AtomicBoolean();
        List<Leadership> terms = new CopyOnWriteArrayList<>();
        world.client("a")
                .election("e")
                .runWhileLeader(
                        "v",
                        RunOptions.DEFAULTS.withHealthCheck(
                                () -> {
                                    if (checks.incrementAndGet() > 1) {
                                        return true;
                                    }
                                    check.run(null);
                                    hasAnswered.set(true);
                                    return false;
                                },
                                Duration.ofSeconds(1),
                                Duration.ofMillis(200)),
                        leadership -> {
                            terms.add(leadership);
                            new CompletableFuture<Void>().get();
                        });
        world.passUntilReally(() -> terms.size() == 2);

        check.let.countDown();
        world.await(() -> hasAnswered.get() && world.host.running() <= 1);
        for (int i = 0; i < 50; i++) {
            world.pass(Duration.ofMillis(100));
            world.await(() -> world.host.running() <= 1);
        }

        assertThat(terms.get(1).isValid()).isTrue();
        assertThat(checks).hasValueGreaterThan(2);
    }

    /** It is asked {@code every} after its own begin, and waits for its answer as long as any other term. */
    @Test
    void aCheckOfAFormerTermThatStillHangsTakesNoTimeFromTheNext() {
        world.host.useRealThreads();
        Stubborn check = new Stubborn();
        AtomicInteger checks = new AtomicInteger();
        List<Leadership> terms = new CopyOnWriteArrayList<>();
        world.client("a")
                .election("e")
                .runWhileLeader(
                        "v",
                        RunOptions.DEFAULTS.withHealthCheck(
                                () -> {
                                    if (checks.incrementAndGet() > 1) {
                                        return true;
                                    }
                                    check.run(null);
                                    return false;
                                },
                                Duration.ofSeconds(1),
                                Duration.ofMillis(200)),
                        leadership -> {
                            terms.add(leadership);
                            new CompletableFuture<Void>().get();
                        });
        world.passUntilReally(() -> terms.size() == 2);

        world.pass(Duration.ofMillis(1_100));
        assertThat(terms.get(1).isValid()).isTrue();
        check.let.countDown();
        // The question that waited is asked now.
        world.await(() -> {
            world.pass(Duration.ZERO);
            return checks.get() == 2 && world.host.running() <= 1;
        });
        world.pass(Duration.ofMillis(500));

        assertThat(terms.get(1).isValid()).isTrue();
    }

    /** Its thread is wanted back, although it can fail nothing any more. */
    @Test
    void aCheckThatHangsBeyondItsTermIsInterruptedAtItsTimeout() {
        world.host.useRealThreads();
        Stubborn check = new Stubborn();
        WaitingWork work = new WaitingWork();
        AtomicBoolean isInCheck = new AtomicBoolean();
        world.client("a")
                .election("e")
                .runWhileLeader(
                        "v",
                        RunOptions.DEFAULTS.withHealthCheck(
                                () -> {
                                    isInCheck.set(true);
                                    check.run(null);
                                    return true;
                                },
                                Duration.ofSeconds(1),
                                Duration.ofMillis(200)),
                        work::run);
        world.passUntilReally(isInCheck::get);

        work.leadership.get().resign();
        world.pass(Duration.ofMillis(300));

        world.await(() -> check.interrupts.get() == 1);
        check.let.countDown();
    }

    /** Its executor had no room for one question; the next term's is asked all the same. */
    @Test
    void aQuestionThatTheExecutorDropsCostsOneTerm() {
        world.host.useRealThreads();
        Host.Workers threads = world.host.workers("executor");
        AtomicBoolean isToDrop = new AtomicBoolean();
        AtomicInteger dropped = new AtomicInteger();
        world.executor = piece -> {
            if (isToDrop.getAndSet(false)) {
                dropped.incrementAndGet();
            } else {
                threads.execute(piece);
            }
        };
        workHealthily();
        isToDrop.set(true);
        world.passUntilReally(() -> terms.get() == 2);
        assertThat(dropped).hasValue(1);
        int before = asked.get();

        world.passUntilReally(() -> asked.get() >= before + 3);

        assertThat(terms).hasValue(2);
    }

    /** However many terms come meanwhile, one thread hangs in {@code execute}. */
    @Test
    void aQuestionThatTheExecutorDoesNotTakeKeepsAllOthersWaiting() {
        world.host.useRealThreads();
        CountDownLatch let = new CountDownLatch(1);
        Host.Workers threads = world.host.workers("executor");
        AtomicBoolean isToBlock = new AtomicBoolean();
        world.executor = piece -> {
            if (isToBlock.getAndSet(false)) {
                awaitQuietly(let);
            }
            threads.execute(piece);
        };
        workHealthily();
        isToBlock.set(true);
        world.passUntilReally(() -> !isToBlock.get());
        int before = asked.get();
        world.passUntilReally(() -> terms.get() == 3);
        assertThat(asked).hasValue(before);

        let.countDown();

        world.passUntilReally(() -> asked.get() >= before + 2);
    }

    /** Until its first term, in which nothing was asked yet. */
    private void workHealthily() {
        RunOptions options = RunOptions.DEFAULTS.withHealthCheck(
                () -> asked.incrementAndGet() > 0, Duration.ofSeconds(1), Duration.ofMillis(300));
        world.client("a").election("e").runWhileLeader("v", options, leadership -> {
            terms.incrementAndGet();
            new CompletableFuture<Void>().get();
        });
        world.passUntilReally(() -> terms.get() == 1);
    }

    private static void awaitQuietly(CountDownLatch let) {
        try {
            let.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
