package dev.mandate.bench;

import dev.mandate.Leadership;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;

/** Makes many asynchronous calls, a few at a time. */
final class Pipeline {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int CLOSERS = 16;

    private Pipeline() {}

    /**
     * Makes {@code count} calls, at most {@code atATime} of them unanswered at once, and waits for all answers.
     *
     * @param what completes the sentence "… failed"
     * @throws Failure if one fails, or none is answered for a minute
     */
    static void run(int count, int atATime, String what, IntFunction<? extends CompletionStage<?>> call)
            throws InterruptedException {
        Semaphore places = new Semaphore(atATime);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int i = 0; i < count; i++) {
            take(places, what, failure);
            call.apply(i).whenComplete((answer, thrown) -> {
                if (thrown != null) {
                    failure.compareAndSet(null, thrown);
                }
                places.release();
            });
        }
        for (int i = 0; i < atATime; i++) {
            take(places, what, failure);
        }
    }

    /** Closes all, a few at a time, so that no release waits for its turn longer than an answer may take. */
    static void close(Leadership[] held) throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        Thread[] closers = new Thread[CLOSERS];
        for (int i = 0; i < CLOSERS; i++) {
            closers[i] = new Thread(
                    () -> {
                        for (int at = next.getAndIncrement(); at < held.length; at = next.getAndIncrement()) {
                            held[at].close();
                        }
                    },
                    "bench-closer-" + i);
            closers[i].setDaemon(true);
            closers[i].start();
        }
        for (Thread closer : closers) {
            closer.join();
        }
    }

    private static void take(Semaphore places, String what, AtomicReference<Throwable> failure)
            throws InterruptedException {
        boolean taken = places.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new Failure(ExitCode.UNAVAILABLE, what + " failed: " + thrown.getMessage(), thrown);
        }
        if (!taken) {
            throw new Failure(ExitCode.UNAVAILABLE, what + " was not answered within " + PATIENCE.toSeconds() + " s");
        }
    }
}
