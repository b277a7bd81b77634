package dev.mandate.http;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** One thread of the server. It logs failures and goes on. Safe for use from many threads. */
final class Worker implements Executor {
    private static final System.Logger LOG = System.getLogger("dev.mandate.http");

    private final ScheduledExecutorService thread;

    Worker(String name) {
        thread = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread made = new Thread(work, name);
            made.setDaemon(true);
            return made;
        });
    }

    /** @throws java.util.concurrent.RejectedExecutionException if it has ended */
    @Override
    public void execute(Runnable work) {
        thread.execute(() -> run(work));
    }

    /** Repeats {@code work}, each time {@code millis} after the last time ended. */
    void every(long millis, Runnable work) {
        thread.scheduleWithFixedDelay(() -> run(work), millis, millis, TimeUnit.MILLISECONDS);
    }

    private static void run(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            warn("unexpected error in the HTTP server; it keeps running", e);
        }
    }

    static void warn(String sentence, Throwable why) {
        try {
            LOG.log(System.Logger.Level.WARNING, sentence, why);
        } catch (Throwable e) {
            // There is no memory even to log.
        }
    }

    /** Takes no more work; waits at most a second for the work that it has. */
    void end() throws InterruptedException {
        thread.shutdown();
        thread.awaitTermination(1, TimeUnit.SECONDS);
    }

    /** Takes no more work, and interrupts what it does. */
    void stop() {
        thread.shutdownNow();
    }
}
