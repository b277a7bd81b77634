package dev.mandate.bench;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** The greatest age of a lease's last renewal, counted from its send as leaders count. Thread-safe. */
final class RenewalAges {
    private final Map<Object, Long> sent = new ConcurrentHashMap<>();
    private final AtomicLong oldest = new AtomicLong();
    private volatile boolean begun;

    /** Starts to count; what was renewed before counts as fresh. */
    void begin() {
        begun = true;
    }

    /** Passes on the outcome of a renewal of {@code owner}'s lease, and counts it if granted. */
    <T> CompletionStage<T> renewed(Object owner, Predicate<T> granted, CompletionStage<T> answer, long sentNanos) {
        return !begun
                ? answer
                : answer.thenApply(outcome -> {
                    if (granted.test(outcome)) {
                        Long before = sent.put(owner, sentNanos);
                        long now = System.nanoTime();
                        oldest.accumulateAndGet(now - (before == null ? sentNanos : before), Math::max);
                    }
                    return outcome;
                });
    }

    /** The greatest age so far in nanoseconds, that of leases awaiting their next renewal included. */
    long oldestNanos() {
        long now = System.nanoTime();
        return sent.values().stream().mapToLong(at -> now - at).reduce(oldest.get(), Math::max);
    }
}
