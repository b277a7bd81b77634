package dev.mandate.nats;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The threads of a store, all daemons: those that jnats creates itself can keep a program from ending. */
final class Threads {
    private static final int MAX = 64;
    private static final int CALLBACKS_MAX = 10_000;
    private static final long IDLE_SECONDS = 10;

    private final AtomicInteger count = new AtomicInteger();
    private final ThreadPoolExecutor pool;
    private final ThreadPoolExecutor callbacks;
    private final ScheduledThreadPoolExecutor timer;

    Threads() {
        this.pool = new ThreadPoolExecutor(
                0, MAX, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), factory("mandate-nats-"));
        // One thread, so that a connection's events are reported in order.
        this.callbacks = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(CALLBACKS_MAX),
                factory("mandate-nats-callback-"));
        callbacks.allowCoreThreadTimeOut(true);
        this.timer = new ScheduledThreadPoolExecutor(1, factory("mandate-nats-timer-"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    ThreadFactory factory(String prefix) {
        return task -> {
            Thread thread = new Thread(task, prefix + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    ExecutorService pool() {
        return pool;
    }

    /** The executor on which jnats reports connection events. */
    ExecutorService callbacks() {
        return callbacks;
    }

    ScheduledThreadPoolExecutor timer() {
        return timer;
    }

    /** Runs a short task after the delay, unless this is closed. */
    void later(Runnable task, long nanos) {
        var unused = timed(task, nanos);
    }

    /** Like {@link #later}, but the task can be cancelled. Returns null if this is closed. */
    @Nullable
    Future<?> timed(Runnable task, long nanos) {
        try {
            return timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // Closed: nobody waits for the task any more.
            return null;
        }
    }

    void close() {
        timer.shutdownNow();
        pool.shutdownNow();
        callbacks.shutdown();
    }
}
