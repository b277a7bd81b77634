package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where users' code runs: on threads that are theirs to hold up, a bounded number of them, and never lost. */
class CallbacksTest {
    private static final int AT_ONCE = 16;
    /** Looks for pieces that block while others wait. */
    private static final int WATCH = 1;

    private final VirtualHost host = new VirtualHost();

    /** What was handed over, and waits for a thread. */
    private final Queue<Runnable> handed = new ArrayDeque<>();

    private final List<String> ran = new ArrayList<>();
    private final List<Throwable> refused = new ArrayList<>();
    private boolean hasThreads = true;

    private void own(Runnable work) {
        if (!hasThreads) {
            throw new InternalError("simulated: no thread to be had");
        }
        handed.add(work);
    }

    private void runAll() {
        for (Runnable next = handed.poll(); next != null; next = handed.poll()) {
            next.run();
        }
    }

    private Callbacks callbacks() {
        return new Callbacks(host, this::own, null, () -> {});
    }

    private Runnable say(String what) {
        return () -> ran.add(what);
    }

    @AfterEach
    void takeBackInterrupts() {
        Thread.interrupted();
    }

    // ---- short pieces ----

    @Test
    void nothingRunsOnTheCallersThread() {
        Callbacks callbacks = callbacks();

        callbacks.run(say("end"));
        callbacks.tell(say("news"));
        assertThat(ran).isEmpty();
        runAll();

        assertThat(ran).containsExactly("end", "news");
    }

    @Test
    void sixteenThreadsAtMostServeAllPiecesInOrder() {
        Callbacks callbacks = callbacks();
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add("piece " + i);
            callbacks.run(say("piece " + i));
        }

        assertThat(handed).hasSize(AT_ONCE + WATCH);
        handed.poll().run();
        assertThat(ran).isEqualTo(all);
        runAll();
        assertThat(ran).isEqualTo(all);
    }

    /** Threads that found nothing more to do are back in the count. */
    @Test
    void aBurstLeavesRoomForTheNext() {
        Callbacks callbacks = callbacks();
        for (int burst = 0; burst < 5; burst++) {
            for (int i = 0; i < 40; i++) {
                callbacks.run(say("piece"));
            }
            assertThat(handed).hasSize(AT_ONCE + WATCH);
            runAll();
        }

        assertThat(ran).hasSize(200);
    }

    @Test
    void listenersTakeNoThreadFromCompletions() {
        Callbacks callbacks = callbacks();
        for (int i = 0; i < 2 * AT_ONCE; i++) {
            callbacks.tell(say("news"));
        }
        assertThat(handed).hasSize(AT_ONCE + WATCH);

        callbacks.run(say("end"));
        assertThat(handed).hasSize(AT_ONCE + WATCH + 1);
        assertThat(callbacks.hand(say("win"))).isTrue();

        assertThat(handed).hasSize(AT_ONCE + WATCH + 2);
    }

    @Test
    void aPieceThatThrowsTakesTheThreadFromNobody() {
        Callbacks callbacks = callbacks();
        callbacks.run(() -> {
            throw new StackOverflowError("deep");
        });
        callbacks.run(say("next"));

        handed.poll().run();

        assertThat(ran).containsExactly("next");
        assertThat(callbacks.isInside()).isFalse();
    }

    @Test
    void withoutAThreadAPieceWaitsForTheNextOne() {
        Callbacks callbacks = callbacks();
        hasThreads = false;
        for (int i = 0; i < 2 * AT_ONCE; i++) {
            callbacks.run(say("early"));
        }
        assertThat(callbacks.hand(say("win"))).isFalse();
        hasThreads = true;

        callbacks.run(say("late"));
        runAll();

        assertThat(ran).hasSize(2 * AT_ONCE + 1).endsWith("late");
    }

    /** An end that nobody is told of would be worse than a foreign call on a thread of ours. */
    @Test
    void whatTheUsersExecutorRefusesRunsAllTheSame() {
        boolean[] refuses = {true};
        List<Runnable> users = new ArrayList<>();
        Callbacks callbacks = new Callbacks(
                host,
                this::own,
                task -> {
                    if (refuses[0]) {
                        throw new RejectedExecutionException("full");
                    }
                    users.add(task);
                },
                () -> {});
        callbacks.run(say("refused"));
        runAll();
        assertThat(ran).containsExactly("refused");

        refuses[0] = false;
        callbacks.run(say("taken"));
        runAll();
        assertThat(ran).containsExactly("refused");
        assertThat(users).hasSize(1);
        users.get(0).run();
        assertThat(ran).containsExactly("refused", "taken");
    }

    // ---- inside ----

    @Test
    void whoRunsAPieceIsInsideUntilTheOutermostReturns() {
        Callbacks callbacks = callbacks();
        List<Boolean> inside = new ArrayList<>();
        callbacks.run(() -> {
            inside.add(callbacks.isInside());
            callbacks.tell(() -> inside.add(callbacks.isInside()));
            // An executor may run a piece on its caller's thread.
            runAll();
            inside.add(callbacks.isInside());
        });
        runAll();

        inside.add(callbacks.isInside());
        assertThat(inside).containsExactly(true, true, true, false);
    }

    /** Where short memory keeps it from being noted who is inside. */
    @Test
    void aPieceRunsThoughNobodyCanBeNotedAsInside() throws InterruptedException {
        Callbacks callbacks = callbacks();
        callbacks.run(say("piece"));
        Thread unnoted = new Thread(this::runAll) {
            @Override
            public int hashCode() {
                throw new InternalError("simulated: one allocation failed");
            }
        };

        unnoted.start();
        unnoted.join();

        assertThat(ran).containsExactly("piece");
    }

    @Test
    void aLongPieceIsInsideToo() {
        Callbacks callbacks = callbacks();
        List<Boolean> inside = new ArrayList<>();
        callbacks.start(() -> inside.add(callbacks.isInside()), refused::add);
        assertThat(inside).isEmpty();

        runAll();

        inside.add(callbacks.isInside());
        assertThat(inside).containsExactly(true, false);
        assertThat(refused).isEmpty();
    }

    // ---- long pieces ----

    @Test
    void longPiecesAreNotCounted() {
        Callbacks callbacks = callbacks();
        for (int i = 0; i < 3 * AT_ONCE; i++) {
            callbacks.start(say("task"), refused::add);
        }

        assertThat(handed).hasSize(3 * AT_ONCE);
    }

    @Test
    void whoStartsWhatNobodyTakesIsToldWhy() {
        hasThreads = false;
        callbacks().start(say("task"), refused::add);
        assertThat(refused).singleElement().isInstanceOf(InternalError.class);

        hasThreads = true;
        Callbacks withExecutor = new Callbacks(
                host,
                this::own,
                task -> {
                    throw new RejectedExecutionException("full");
                },
                () -> {});
        withExecutor.start(say("task"), refused::add);
        assertThat(refused).hasSize(1);
        runAll();

        assertThat(refused).last().isInstanceOf(RejectedExecutionException.class);
        assertThat(refused).hasSize(2);
        assertThat(ran).isEmpty();
    }

    // ---- interrupts ----

    @Test
    void whatHasNotBegunNeverWill() {
        Interruptible inside = new Interruptible();

        assertThat(callbacks().interrupt(inside, refused::add)).isTrue();

        assertThat(handed).isEmpty();
        assertThat(inside.enter()).isFalse();
    }

    /** It may close a channel, which may block: not on the loop, nor on the watchdog. */
    @Test
    void whoIsInsideIsInterruptedOnAThreadOfItsOwn() throws InterruptedException {
        Interruptible inside = new Interruptible();
        Thread thread = new Thread(inside::enter);
        thread.start();
        thread.join();

        assertThat(callbacks().interrupt(inside, refused::add)).isFalse();

        assertThat(handed).hasSize(1);
    }

    @Test
    void whoInterruptsItselfNeedsNoOtherThread() {
        Interruptible inside = new Interruptible();
        inside.enter();

        assertThat(callbacks().interrupt(inside, refused::add)).isFalse();

        assertThat(handed).isEmpty();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void withoutAThreadTheCallerInterrupts() throws InterruptedException {
        Interruptible inside = new Interruptible();
        InterruptedThread thread = new InterruptedThread(inside, null);
        thread.start();
        thread.join();
        hasThreads = false;

        assertThat(callbacks().interrupt(inside, refused::add)).isFalse();

        assertThat(thread.interrupts).isEqualTo(1);
        assertThat(refused).isEmpty();
    }

    @Test
    void whatAnInterruptThrowsIsTold() throws InterruptedException {
        Interruptible inside = new Interruptible();
        InterruptedThread thread = new InterruptedThread(inside, new IllegalStateException("a thread of the user's"));
        thread.start();
        thread.join();

        callbacks().interrupt(inside, refused::add);
        runAll();

        assertThat(refused).singleElement().isSameAs(thread.failure);
    }

    /** Goes inside and stays there, for all that anybody can tell. */
    private static final class InterruptedThread extends Thread {
        final RuntimeException failure;
        int interrupts;

        InterruptedThread(Interruptible inside, RuntimeException failure) {
            super(inside::enter);
            this.failure = failure;
        }

        @Override
        public void interrupt() {
            interrupts++;
            if (failure != null) {
                throw failure;
            }
        }
    }
}
