package dev.mandate.test;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The real threads that run users' code: tasks, listeners, and threads of the program that wait in a call. Time passes
 * only when they rest: when they wait for something, or have ended.
 */
final class UserThreads {
    /** After that a thread is no longer waited for if it computes, or waits for a lock or outside of Java. */
    private static final long PATIENCE_NANOS = 1_000_000_000L;

    /** Longer: the machine is busy, and a thread that has something to do may not have had a processor yet. */
    private static final long STARVING_NANOS = 20_000_000_000L;

    /** Who has used that much of a processor meanwhile computes. */
    private static final long COMPUTING_NANOS = 500_000_000L;

    private static final long LOOK_NANOS = 50_000;
    private static final long PAUSE_NANOS = 1_000_000;

    private final LongSupplier nanos;
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final Set<Thread> restless = ConcurrentHashMap.newKeySet();
    private final Map<Thread, Waiting> waiting = new ConcurrentHashMap<>();
    private final AtomicInteger started = new AtomicInteger();

    /** Threads that may wait until that clock shows a time. */
    UserThreads(LongSupplier nanos) {
        this.nanos = nanos;
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
            return done.isDone() || nanos.getAsLong() >= untilNanos;
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
        long sinceNanos = System.nanoTime();
        long usedNanos = processorNanos(thread);
        while (isWorking(thread)) {
            hasWorked = true;
            LockSupport.parkNanos(LOOK_NANOS);
            long waited = System.nanoTime() - sinceNanos;
            if (waited > STARVING_NANOS || waited > PATIENCE_NANOS && isBusy(thread, usedNanos)) {
                restless.add(thread);
                break;
            }
        }
        if (thread.getState() == Thread.State.TERMINATED) {
            forget(thread);
        }
        return hasWorked;
    }

    /** Whether it computes, or waits for a lock or outside of Java, so that it may well never rest. */
    private static boolean isBusy(Thread thread, long usedNanos) {
        if (thread.getState() == Thread.State.BLOCKED || processorNanos(thread) - usedNanos > COMPUTING_NANOS) {
            return true;
        }
        StackTraceElement[] stack = thread.getStackTrace();
        return thread.getState() == Thread.State.RUNNABLE && stack.length > 0 && stack[0].isNativeMethod();
    }

    private static long processorNanos(Thread thread) {
        return Math.max(0, ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()));
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
