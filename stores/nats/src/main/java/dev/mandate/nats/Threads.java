package dev.mandate.nats;

import dev.mandate.support.StoreThreads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads of a store, all daemons: those that jnats creates itself can keep a program from ending. */
final class Threads {
    private static final int MAX = 64;
    private static final int CALLBACKS_MAX = 10_000;
    private static final long IDLE_SECONDS = 10;

    private final StoreThreads shared = new StoreThreads("mandate-nats-", 1);

    private final ThreadPoolExecutor pool = new ThreadPoolExecutor(
            0, MAX, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), StoreThreads.factory("mandate-nats-"));

    /** One thread, so that a connection's events are reported in order. */
    private final ThreadPoolExecutor callbacks = new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(CALLBACKS_MAX),
            StoreThreads.factory("mandate-nats-callback-"));

    Threads() {
        callbacks.allowCoreThreadTimeOut(true);
    }

    /** The timer, for calls and for short tasks. */
    StoreThreads shared() {
        return shared;
    }

    ExecutorService pool() {
        return pool;
    }

    /** The executor on which jnats reports connection events. */
    ExecutorService callbacks() {
        return callbacks;
    }

    ScheduledThreadPoolExecutor timer() {
        return shared.timer();
    }

    /** Runs a short task after the delay, unless this is closed. */
    void later(Runnable task, long nanos) {
        shared.later(task, nanos);
    }

    void close() {
        shared.close();
        pool.shutdownNow();
        callbacks.shutdown();
    }
}
