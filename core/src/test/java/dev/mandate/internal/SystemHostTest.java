package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.engine.Now;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The real machine. */
class SystemHostTest {
    private static final long LONG_SECONDS = 30;

    /** Inside a turn a thread may have to wait for a lock; what woke it meanwhile is seen to all the same. */
    @Test
    void whoeverIsWokenInATurnTakesAnotherThoughSomethingUsedThePermit() throws InterruptedException {
        SystemHost host = new SystemHost();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch isWoken = new CountDownLatch(1);
        CountDownLatch again = new CountDownLatch(1);
        AtomicInteger turns = new AtomicInteger();
        Host.Drive drive = host.drive("turns", () -> {
            if (turns.incrementAndGet() > 1) {
                again.countDown();
                return Host.Step.DONE;
            }
            entered.countDown();
            while (isWoken.getCount() > 0) {
                Thread.onSpinWait();
            }
            LockSupport.park();
            return Long.MAX_VALUE;
        });

        assertThat(entered.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
        drive.wake();
        drive.wake();
        isWoken.countDown();

        assertThat(again.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(turns).hasValue(2);
    }

    @Test
    void whoeverIsWokenWhileItRestsTakesATurn() throws InterruptedException {
        SystemHost host = new SystemHost();
        AtomicInteger turns = new AtomicInteger();
        CountDownLatch[] taken = {new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1)};
        Host.Drive drive = host.drive("turns", () -> {
            int turn = turns.getAndIncrement();
            taken[turn].countDown();
            return turn == taken.length - 1 ? Host.Step.DONE : Long.MAX_VALUE;
        });

        for (CountDownLatch turn : taken) {
            assertThat(turn.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
            drive.wake();
        }
    }

    /** It neither spins nor looks now and then. */
    @Test
    void whoeverHasNothingToDoRests() throws Exception {
        SystemHost host = new SystemHost();
        AtomicInteger turns = new AtomicInteger();
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        Host.Drive drive = host.drive("turns", () -> {
            thread.complete(Thread.currentThread());
            return turns.incrementAndGet() == 2 ? Host.Step.DONE : Long.MAX_VALUE;
        });
        Thread resting = thread.get(LONG_SECONDS, TimeUnit.SECONDS);
        while (resting.getState() != Thread.State.WAITING) {
            assertThat(resting.isAlive()).isTrue();
            Thread.onSpinWait();
        }
        assertThat(turns).hasValue(1);

        drive.wake();
        drive.ended().get(LONG_SECONDS, TimeUnit.SECONDS);

        assertThat(turns).hasValue(2);
    }

    // ---- turns ----

    @Test
    void aTurnIsTakenAtItsTimeWithoutAnybodysWaking() throws InterruptedException {
        SystemHost host = new SystemHost();
        List<Long> wanted = new CopyOnWriteArrayList<>();
        List<Long> taken = new CopyOnWriteArrayList<>();
        Host.Drive drive = host.drive("turns", () -> {
            taken.add(host.nanos());
            if (taken.size() == 4) {
                return Host.Step.DONE;
            }
            wanted.add(host.nanos() + 2_000_000);
            return wanted.get(wanted.size() - 1);
        });

        assertThat(host.await(drive.ended(), host.nanos() + LONG_SECONDS * 1_000_000_000L))
                .isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(taken.get(i + 1)).isGreaterThanOrEqualTo(wanted.get(i) - 100_000);
        }
    }

    /** It must not fail, but if it does, nobody else would go on. */
    @Test
    void aTurnThatFailedIsFollowedByTheNext() throws Exception {
        SystemHost host = new SystemHost();
        AtomicInteger turns = new AtomicInteger();
        Host.Drive drive = host.drive("turns", () -> {
            if (turns.incrementAndGet() < 3) {
                throw new StackOverflowError("deep");
            }
            return Host.Step.DONE;
        });

        drive.ended().get(LONG_SECONDS, TimeUnit.SECONDS);
        assertThat(turns).hasValue(3);
    }

    @Test
    void aTurnKnowsThatItIsOneAndCanBeInterrupted() throws Exception {
        SystemHost host = new SystemHost();
        CountDownLatch entered = new CountDownLatch(1);
        List<Object> seen = new CopyOnWriteArrayList<>();
        AtomicReference<Host.Drive> own = new AtomicReference<>();
        CountDownLatch isKnown = new CountDownLatch(1);
        Host.Drive drive = host.drive("turns-of-mine", () -> {
            try {
                isKnown.await();
                seen.add(own.get().isCurrent());
                seen.add(Thread.currentThread().getName());
                seen.add(Thread.currentThread().isDaemon());
                entered.countDown();
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                seen.add("interrupted");
            }
            return Host.Step.DONE;
        });
        own.set(drive);
        isKnown.countDown();
        assertThat(entered.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(drive.isCurrent()).isFalse();
        assertThat(drive.ended()).isNotDone();

        drive.interrupt();
        drive.ended().get(LONG_SECONDS, TimeUnit.SECONDS);

        assertThat(seen).containsExactly(true, "turns-of-mine", true, "interrupted");
    }

    // ---- waiting ----

    @Test
    void waitingEndsWithAnyCompletionOrWithItsTime() throws Exception {
        SystemHost host = new SystemHost();
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        cancelled.cancel(false);
        CompletableFuture<Void> never = new CompletableFuture<>();

        for (long until : new long[] {Long.MAX_VALUE, host.nanos() + 1_000_000_000_000L, host.nanos() - 1}) {
            assertThat(host.await(CompletableFuture.completedFuture(null), until))
                    .isTrue();
            assertThat(host.await(CompletableFuture.failedFuture(new IllegalStateException("no")), until))
                    .isTrue();
            assertThat(host.await(cancelled, until)).isTrue();
        }
        long from = System.nanoTime();
        assertThat(host.await(never, host.nanos() + 3_000_000)).isFalse();
        assertThat(System.nanoTime() - from).isGreaterThanOrEqualTo(2_900_000);
        assertThat(host.await(never, host.nanos() - 1)).isFalse();
    }

    @Test
    void whoWaitsCanBeInterrupted() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> new SystemHost().await(new CompletableFuture<>(), Long.MAX_VALUE))
                .isInstanceOf(InterruptedException.class);
    }

    // ---- workers ----

    @Test
    void workRunsOnNamedDaemonsAlsoAfterTheEnd() throws Exception {
        Host.Workers workers = new SystemHost().workers("work");
        CompletableFuture<String> first = new CompletableFuture<>();
        workers.execute(() -> first.complete(
                Thread.currentThread().getName() + " " + Thread.currentThread().isDaemon()));
        assertThat(first.get(LONG_SECONDS, TimeUnit.SECONDS)).isEqualTo("work-1 true");
        assertThat(workers.terminated()).isNotDone();

        workers.shutdown();
        workers.terminated().get(LONG_SECONDS, TimeUnit.SECONDS);
        CompletableFuture<String> late = new CompletableFuture<>();
        workers.execute(() -> late.complete(
                Thread.currentThread().getName() + " " + Thread.currentThread().isDaemon()));

        assertThat(late.get(LONG_SECONDS, TimeUnit.SECONDS)).matches("work-\\d true");
    }

    // ---- clocks ----

    @Test
    void itsClocksAreThoseOfTheMachine() {
        SystemHost host = new SystemHost();
        long before = System.nanoTime();
        Now now = host.now();
        Now later = host.since(now);

        assertThat(now.monotonicNanos()).isBetween(before, System.nanoTime());
        assertThat(later.monotonicNanos()).isBetween(now.monotonicNanos(), System.nanoTime());
        assertThat(later.bootNanos() - now.bootNanos()).isEqualTo(later.monotonicNanos() - now.monotonicNanos());
        assertThat(Math.abs(now.wallMillis() - System.currentTimeMillis())).isLessThan(60_000);
        assertThat(host.nanos()).isBetween(before, System.nanoTime());
        assertThat(host.assumptions()).hasSizeLessThan(2);
    }
}
