package dev.mandate.support;

import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads of an open store, all daemons, so that none keeps a program from ending: a timer with one thread for
 * short tasks, and workers. Thread-safe; nothing blocks.
 */
public final class StoreThreads implements AutoCloseable {
    private static final long IDLE_SECONDS = 2;

    private final ScheduledThreadPoolExecutor timer;
    private final ThreadPoolExecutor workers;

    /**
     * Starts no thread yet.
     *
     * @param prefix what the threads' names begin with, like {@code mandate-consul-}
     * @param workers the most workers, positive; an idle one ends after two seconds
     */
    public StoreThreads(String prefix, int workers) {
        this.timer = new ScheduledThreadPoolExecutor(1, factory(prefix + "timer-"));
        timer.setRemoveOnCancelPolicy(true);
        this.workers = new ThreadPoolExecutor(
                workers,
                workers,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                factory(prefix + "worker-"));
        this.workers.allowCoreThreadTimeOut(true);
    }

    /** Makes daemons whose names are {@code prefix} and a number. */
    public static ThreadFactory factory(String prefix) {
        AtomicInteger count = new AtomicInteger();
        return task -> daemon(prefix + count.incrementAndGet(), task);
    }

    /** One daemon, not started yet. */
    public static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** The workers; their queue is not bounded. They outlive {@link #close}, because an HTTP client may need them. */
    public ThreadPoolExecutor workers() {
        return workers;
    }

    /** The timer, for a client library that needs one. */
    public ScheduledThreadPoolExecutor timer() {
        return timer;
    }

    /** Runs a short task on the timer after {@code nanos}, unless this is closed by then. */
    public void later(Runnable task, long nanos) {
        var unused = timed(task, nanos);
    }

    /** The same, to be cancelled; null if this is closed, and then the task never runs. */
    public @Nullable Future<?> timed(Runnable task, long nanos) {
        try {
            return timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return null;
        }
    }

    /** Drops what the timer has not begun, and interrupts it. Idle workers end by themselves. Idempotent. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
