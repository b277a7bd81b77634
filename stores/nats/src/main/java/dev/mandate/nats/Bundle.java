package dev.mandate.nats;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Renewals, which are not urgent: where there are many, they wait for each other for a moment and are sent together. One by one each of them would
 * wake half a dozen threads here and in the server. Few are sent at once.
 */
final class Bundle {
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int MANY = 100;

    private final Threads threads;

    /** Guards what follows. Nothing is called under it. */
    private final Object lock = new Object();

    private List<Runnable> waiting = new ArrayList<>();
    private long windowNanos = System.nanoTime();
    private int count;
    private boolean isMany;

    Bundle(Threads threads) {
        this.threads = threads;
    }

    /** Sends it at once or within ten milliseconds. Bounded by the elections that are held, of each of which one renewal is under way. */
    <T> CompletionStage<T> add(Supplier<CompletionStage<T>> send) {
        if (!isToWait()) {
            return send.get();
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        boolean isFirst;
        synchronized (lock) {
            isFirst = waiting.isEmpty();
            waiting.add(() -> send(send, answer));
        }
        if (isFirst) {
            threads.later(this::flush, WAIT_NANOS);
        }
        return answer;
    }

    private boolean isToWait() {
        long now = System.nanoTime();
        synchronized (lock) {
            count++;
            if (now - windowNanos >= WINDOW_NANOS) {
                isMany = count >= MANY;
                windowNanos = now;
                count = 0;
            }
            return isMany;
        }
    }

    private static <T> void send(Supplier<CompletionStage<T>> send, CompletableFuture<T> answer) {
        try {
            var unused = send.get().whenComplete((value, failure) -> {
                if (failure == null) {
                    answer.complete(value);
                } else {
                    answer.completeExceptionally(failure);
                }
            });
        } catch (Throwable e) {
            // The others of the bundle have their turn all the same.
            answer.completeExceptionally(e);
        }
    }

    private void flush() {
        List<Runnable> all;
        synchronized (lock) {
            all = waiting;
            waiting = new ArrayList<>(all.size());
        }
        all.forEach(Runnable::run);
    }
}
