package dev.mandate.nats;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Batches renewals, which are not urgent. If there are many, they are sent together and their answers delivered
 * together: one by one, each would wake half a dozen threads here and in the server. If there are few, each is sent and
 * answered at once.
 */
final class Bundle {
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
    private static final int MANY = 100;

    private final Threads threads;
    private final Cork cork;
    private final LongSupplier clock;

    // Guarded by this. No callback runs under the lock.
    private final List<Runnable> answers = new ArrayList<>();
    private long handOnNanos;
    private long windowNanos;
    private int count;
    private boolean isMany;

    /** Nothing was sent yet; {@code clock} is monotonic, in nanoseconds. */
    Bundle(Threads threads, Cork cork, LongSupplier clock) {
        this.threads = threads;
        this.cork = cork;
        this.clock = clock;
        this.windowNanos = clock.getAsLong();
    }

    /** Sends it now. The answer is delivered at once or, if there are many, 10 ms after the first of its batch. */
    <T> CompletionStage<T> add(Supplier<CompletionStage<T>> send) {
        if (!isOneOfMany()) {
            return send.get();
        }
        cork.hold();
        CompletableFuture<T> answer = new CompletableFuture<>();
        var unused = send.get().whenComplete((value, failure) -> gather(() -> complete(answer, value, failure)));
        return answer;
    }

    private synchronized boolean isOneOfMany() {
        long now = clock.getAsLong();
        count++;
        if (now - windowNanos >= WINDOW_NANOS) {
            isMany = count >= MANY;
            windowNanos = now;
            count = 0;
        }
        return isMany;
    }

    /** Bounded: each held election has at most one renewal under way. */
    private void gather(Runnable answer) {
        long now = clock.getAsLong();
        boolean isFirst;
        boolean isLate;
        synchronized (this) {
            isFirst = answers.isEmpty();
            answers.add(answer);
            handOnNanos = isFirst ? now + WAIT_NANOS : handOnNanos;
            isLate = now - handOnNanos >= LATE_NANOS;
        }
        // The timer alone is not enough: it may be closed, busy, or out of memory.
        boolean isTimed = false;
        try {
            isTimed = isFirst && threads.shared().timed(this::handOn, WAIT_NANOS) != null;
        } finally {
            if (isFirst ? !isTimed : isLate) {
                handOn();
            }
        }
    }

    /** Delivers the answers so far. Call it also after closing the timer. */
    void handOn() {
        List<Runnable> all;
        synchronized (this) {
            all = List.copyOf(answers);
            answers.clear();
        }
        for (Runnable answer : all) {
            try {
                answer.run();
            } catch (Throwable e) {
                // This call will time out; the others are answered.
            }
        }
    }

    /** Completes {@code answer} with {@code failure} or, if that is null, with {@code value}. */
    static <T> void complete(CompletableFuture<T> answer, @Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            answer.complete(value);
        } else {
            answer.completeExceptionally(failure);
        }
    }
}
