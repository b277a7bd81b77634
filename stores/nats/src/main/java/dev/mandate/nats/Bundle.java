package dev.mandate.nats;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Renewals, which are not urgent: where there are many, they wait for each other for a moment and are sent together. One by one each of them would
 * wake half a dozen threads here and in the server; and so would their answers, which are handed on together, too. Few are sent at once.
 */
final class Bundle {
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int MANY = 100;

    private final Threads threads;

    /** Guards what follows. Nothing is called under it. */
    private final Object lock = new Object();

    private List<Sending<?>> waiting = new ArrayList<>();
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
            waiting.add(new Sending<>(send, answer));
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

    private void flush() {
        List<Sending<?>> all;
        synchronized (lock) {
            all = waiting;
            waiting = new ArrayList<>(all.size());
        }
        Answers answers = new Answers(all.size());
        all.forEach(sending -> sending.send(answers));
        threads.later(answers::handOn, WAIT_NANOS);
    }

    /** One of a bundle. */
    private record Sending<T>(Supplier<CompletionStage<T>> request, CompletableFuture<T> answer) {
        void send(Answers answers) {
            try {
                var unused =
                        request.get().whenComplete((value, failure) -> answers.add(() -> complete(value, failure)));
            } catch (Throwable e) {
                // The others of the bundle have their turn all the same.
                answers.add(() -> answer.completeExceptionally(e));
            }
        }

        private void complete(T value, @Nullable Throwable failure) {
            if (failure == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(failure);
            }
        }
    }

    /** What came of a bundle: handed on when all of it is there, or after ten milliseconds, and then as it comes. */
    private static final class Answers {
        /** Guards what follows. Nothing is called under it. */
        private final Object lock = new Object();

        private int missing;
        private List<Runnable> came = new ArrayList<>();
        private boolean isHandedOn;

        Answers(int missing) {
            this.missing = missing;
        }

        void add(Runnable answer) {
            boolean isLast;
            synchronized (lock) {
                isLast = --missing == 0;
                came.add(answer);
                if (!isLast && !isHandedOn) {
                    return;
                }
            }
            handOn();
        }

        void handOn() {
            List<Runnable> all;
            synchronized (lock) {
                isHandedOn = true;
                all = came;
                came = new ArrayList<>();
            }
            all.forEach(Runnable::run);
        }
    }
}
