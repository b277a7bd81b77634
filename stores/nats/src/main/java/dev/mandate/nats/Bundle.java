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
 * Renewals, which are not urgent: where there are many, they leave together, and their answers are handed on together. One by one each of them
 * would wake half a dozen threads here and in the server. Where there are few they are sent, and answered, at once.
 */
final class Bundle {
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
    private static final int MANY = 100;

    private final Threads threads;
    private final Cork cork;
    private final LongSupplier clock;

    /** Guards what follows. Nothing is called under it. */
    private final Object lock = new Object();

    private List<Runnable> answers = new ArrayList<>();
    private long handOnNanos;
    private long windowNanos;
    private int count;
    private boolean isMany;

    /**
     * Nothing was sent yet.
     *
     * @param clock a monotonic one, in nanoseconds
     */
    Bundle(Threads threads, Cork cork, LongSupplier clock) {
        this.threads = threads;
        this.cork = cork;
        this.clock = clock;
        this.windowNanos = clock.getAsLong();
    }

    /** Sends it now; its answer is handed on at once or, where there are many, by a timer ten milliseconds after the first. */
    <T> CompletionStage<T> add(Supplier<CompletionStage<T>> send) {
        if (!isOneOfMany()) {
            return send.get();
        }
        cork.hold();
        CompletableFuture<T> answer = new CompletableFuture<>();
        var unused = send.get().whenComplete((value, failure) -> gather(() -> complete(answer, value, failure)));
        return answer;
    }

    private boolean isOneOfMany() {
        long now = clock.getAsLong();
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

    /** Bounded by the elections that are held, of each of which one renewal is under way. */
    private void gather(Runnable answer) {
        long now = clock.getAsLong();
        boolean isFirst;
        boolean isLate;
        synchronized (lock) {
            isFirst = answers.isEmpty();
            answers.add(answer);
            handOnNanos = isFirst ? now + WAIT_NANOS : handOnNanos;
            isLate = now - handOnNanos >= LATE_NANOS;
        }
        // Not by the timer alone: it may be closed, busy, or short of memory.
        boolean isTimed = false;
        try {
            isTimed = isFirst && threads.timed(this::handOn, WAIT_NANOS) != null;
        } finally {
            if (isFirst ? !isTimed : isLate) {
                handOn();
            }
        }
    }

    /** Hands on what came. Also to be called when the timer was closed. */
    void handOn() {
        List<Runnable> none = new ArrayList<>();
        List<Runnable> all;
        synchronized (lock) {
            all = answers;
            answers = none;
        }
        for (Runnable answer : all) {
            try {
                answer.run();
            } catch (Throwable e) {
                // Its call is given up in time; the others are answered.
            }
        }
    }

    /** Ends what is waited for with {@code failure}, or, without one, with {@code value}. */
    static <T> void complete(CompletableFuture<T> answer, @Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            answer.complete(value);
        } else {
            answer.completeExceptionally(failure);
        }
    }
}
