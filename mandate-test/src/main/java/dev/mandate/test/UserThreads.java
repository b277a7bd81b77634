package dev.mandate.test;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The real threads that run users' code: tasks, listeners, and threads of the program that wait in a call. Time passes
 * only when they rest: when they wait for something, or have ended.
 */
final class UserThreads {
    /** Whoever works for longer than that is no longer waited for: it computes, or waits outside of Java. */
    private static final long PATIENCE_NANOS = 1_000_000_000L;

    private static final long LOOK_NANOS = 50_000;
    private static final long PAUSE_NANOS = 1_000_000;

    private final TestHost host;
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final Set<Thread> restless = ConcurrentHashMap.newKeySet();
    private final Map<Thread, Waiting> waiting = new ConcurrentHashMap<>();
    private final AtomicInteger started = new AtomicInteger();

    UserThreads(TestHost host) {
        this.host = host;
    }

    /** A thread that waits for something in virtual time. */
    final class Waiting implements AutoCloseable {
        private final CompletableFuture<?> done;
        private final long untilNanos;

        private Waiting(CompletableFuture<?> done, long untilNanos) {
            this.done = done;
            this.untilNanos = untilNanos;
        }

        boolean isOver() {
            return done.isDone() || host.nanos() >= untilNanos;
        }

        @Override
        public void close() {
            waiting.remove(Thread.currentThread());
        }
    }

    void start(String name, Runnable piece) {
        Thread thread = new Thread(
                () -> {
                    try {
                        piece.run();
                    } finally {
                        forget(Thread.currentThread());
                    }
                },
                name + "-" + started.incrementAndGet());
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** The calling thread waits. From now on it is one of those whose work is waited for. */
    Waiting waits(CompletableFuture<?> done, long untilNanos) {
        Waiting begun = new Waiting(done, untilNanos);
        threads.add(Thread.currentThread());
        waiting.put(Thread.currentThread(), begun);
        return begun;
    }

    /** Waits until all threads rest; false if they did already. */
    boolean comeToRest() {
        boolean haveWorked = false;
        for (Thread thread : threads) {
            haveWorked |= comesToRest(thread);
        }
        return haveWorked;
    }

    private boolean comesToRest(Thread thread) {
        if (thread == Thread.currentThread() || restless.contains(thread) && isWorking(thread)) {
            return false;
        }
        restless.remove(thread);
        boolean hasWorked = false;
        for (long until = System.nanoTime() + PATIENCE_NANOS; isWorking(thread); ) {
            hasWorked = true;
            LockSupport.parkNanos(LOOK_NANOS);
            if (System.nanoTime() - until > 0) {
                restless.add(thread);
                break;
            }
        }
        if (thread.getState() == Thread.State.TERMINATED) {
            forget(thread);
        }
        return hasWorked;
    }

    private void forget(Thread thread) {
        threads.remove(thread);
        restless.remove(thread);
    }

    private boolean isWorking(Thread thread) {
        Waiting inCall = waiting.get(thread);
        return switch (thread.getState()) {
            case NEW, RUNNABLE, BLOCKED -> true;
            // A thread that was woken up still looks as if it waited, until it has its processor.
            case WAITING, TIMED_WAITING -> thread.isInterrupted() || inCall != null && inCall.isOver();
            case TERMINATED -> false;
        };
    }

    /** Gives threads that were woken up by other threads a moment to get going. */
    void pause() {
        if (!threads.isEmpty()) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
