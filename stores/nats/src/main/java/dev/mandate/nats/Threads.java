package dev.mandate.nats;

import dev.mandate.support.StoreThreads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads of a store, all daemons: those that jnats creates itself can keep a program from ending. */
final class Threads {
    private static final int MAX = 64;

    private final StoreThreads shared = new StoreThreads("mandate-nats-", 1);

    private final ThreadPoolExecutor pool = new ThreadPoolExecutor(
            0, MAX, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), StoreThreads.factory("mandate-nats-"));

    /** The timer, for calls and for short tasks. */
    StoreThreads shared() {
        return shared;
    }

    ExecutorService pool() {
        return pool;
    }

    /** The timer, for jnats: its one thread reports a connection's events in order. */
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
    }
}
