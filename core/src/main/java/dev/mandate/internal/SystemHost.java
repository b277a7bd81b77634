package dev.mandate.internal;

import dev.mandate.engine.Now;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The real machine: its clocks, and daemon threads. */
final class SystemHost implements Host {
    /** Shared by all clients: it keeps files open. */
    private static final Clocks CLOCKS =
            new Clocks(System::nanoTime, System::currentTimeMillis, Uptime.ofKernel(), SystemHost::clockFailed);

    /** The pause after a turn that failed. A turn must not fail, but if one does, nothing else would start the next. */
    private static final long FAILED_PAUSE_NANOS = 10_000_000;

    private static final long IDLE_SECONDS = 5;

    @Override
    public Now now() {
        return read();
    }

    /** All clocks, read now. Any thread. */
    static Now read() {
        return CLOCKS.now();
    }

    @Override
    public Now since(Now earlier) {
        return readSince(earlier);
    }

    /** As {@link #since}. Any thread. */
    static Now readSince(Now earlier) {
        return CLOCKS.since(earlier);
    }

    @Override
    public List<String> assumptions() {
        return CLOCKS.isEstimated()
                ? List.of("This machine's wall clock is not set back while the machine is suspended, nor right before.")
                : List.of();
    }

    /** On any thread, which the logger must not block. */
    private static void clockFailed() {
        Thread teller = new Thread(
                () -> System.getLogger("dev.mandate")
                        .log(
                                System.Logger.Level.WARNING,
                                "/proc/uptime can no longer be used to measure suspensions: terms held now end, and from now on"
                                        + " suspensions are estimated from the wall clock"),
                "mandate-clock-failed");
        teller.setDaemon(true);
        teller.start();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Drive drive(String name, Step step) {
        ThreadDrive drive = new ThreadDrive(name, step);
        drive.thread.start();
        return drive;
    }

    @Override
    public boolean await(CompletableFuture<?> done, long untilNanos) throws InterruptedException {
        try {
            if (untilNanos == Long.MAX_VALUE) {
                done.get();
            } else {
                done.get(Math.max(0, untilNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException e) {
            return done.isDone();
        } catch (ExecutionException | CancellationException e) {
            return true;
        }
        return true;
    }

    @Override
    public Workers workers(String name) {
        return new Pool(name);
    }

    @Override
    public void halt(int status) {
        Runtime.getRuntime().halt(status);
    }

    private static final class ThreadDrive implements Drive, Runnable {
        private final Step step;
        private final Thread thread;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        /** Woken for a turn that has not begun; until it begins, further wake-ups are not needed. */
        private final AtomicBoolean isWoken = new AtomicBoolean();

        ThreadDrive(String name, Step step) {
            this.step = step;
            this.thread = new Thread(this, name);
            thread.setDaemon(true);
        }

        @Override
        public void run() {
            try {
                for (long at = turn(); at != Step.DONE; at = turn()) {
                    // An interrupt has no meaning here, and would turn every wait into a spin.
                    Thread.interrupted();
                    if (isWoken.get()) {
                        // The permit alone is not enough: waiting for a lock may have used it up.
                        continue;
                    }
                    if (at == Long.MAX_VALUE) {
                        LockSupport.park(this);
                    } else {
                        LockSupport.parkNanos(this, at - System.nanoTime());
                    }
                }
            } finally {
                ended.complete(null);
            }
        }

        private long turn() {
            isWoken.set(false);
            try {
                return step.step();
            } catch (Throwable e) {
                return System.nanoTime() + FAILED_PAUSE_NANOS;
            }
        }

        @Override
        public void wake() {
            if (isWoken.getAndSet(true)) {
                return;
            }
            try {
                LockSupport.unpark(thread);
            } catch (Throwable e) {
                // The caller's stack or memory is exhausted; let the next one try again.
                isWoken.set(false);
                throw e;
            }
        }

        @Override
        public boolean isCurrent() {
            return Thread.currentThread() == thread;
        }

        @Override
        public void interrupt() {
            thread.interrupt();
        }

        @Override
        public CompletableFuture<Void> ended() {
            return ended;
        }
    }

    private static final class Pool implements Workers {
        private final CompletableFuture<Void> terminated = new CompletableFuture<>();
        private final AtomicInteger made = new AtomicInteger();
        private final String name;
        private final ThreadPoolExecutor threads;

        Pool(String name) {
            this.name = name;
            this.threads =
                    new ThreadPoolExecutor(
                            0,
                            Integer.MAX_VALUE,
                            IDLE_SECONDS,
                            TimeUnit.SECONDS,
                            new SynchronousQueue<>(),
                            this::thread) {
                        @Override
                        protected void terminated() {
                            terminated.complete(null);
                        }
                    };
        }

        private Thread thread(Runnable work) {
            Thread thread = new Thread(work, name + "-" + made.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        }

        @Override
        public void execute(Runnable work) {
            try {
                threads.execute(work);
            } catch (RejectedExecutionException e) {
                // The client is closed; what remains to be told is told.
                thread(work).start();
            }
        }

        @Override
        public void shutdown() {
            threads.shutdown();
        }

        @Override
        public CompletableFuture<Void> terminated() {
            return terminated;
        }
    }
}
