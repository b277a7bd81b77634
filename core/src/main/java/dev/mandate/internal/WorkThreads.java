package dev.mandate.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Where users' code runs: their executor, or daemon threads of our own, as many as run at a time. */
final class WorkThreads implements Executor {
    private static final long IDLE_SECONDS = 5;

    private final Executor executor;
    private final @Nullable Own own;

    private static final class Own extends ThreadPoolExecutor {
        private final CompletableFuture<Void> terminated = new CompletableFuture<>();

        Own(String candidate) {
            super(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>());
            AtomicInteger made = new AtomicInteger();
            setThreadFactory(work -> {
                Thread thread = new Thread(work, "mandate-work-" + candidate + "-" + made.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            });
        }

        @Override
        protected void terminated() {
            terminated.complete(null);
        }
    }

    WorkThreads(String candidate, @Nullable Executor given) {
        if (given == null) {
            Own threads = new Own(candidate);
            this.own = threads;
            this.executor = threads;
        } else {
            this.own = null;
            this.executor = given;
        }
    }

    @Override
    public void execute(Runnable work) {
        executor.execute(work);
    }

    /** Starts nothing more; what runs goes on. A user's executor is left alone. */
    void shutdown() {
        if (own != null) {
            own.shutdown();
        }
    }

    /** Waits for our own threads to end, unless work does not stop. */
    void join(Host host, long nanos) {
        if (own != null) {
            try {
                host.await(own.terminated, host.nanos() + nanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
