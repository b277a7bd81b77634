package dev.mandate.cli.bench;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** How old the renewal that a lease lives on ever was, counted from its send as leaders count. Thread-safe. */
final class RenewalAges {
    private final Map<Object, Long> sent = new ConcurrentHashMap<>();
    private final AtomicLong oldest = new AtomicLong();
    private volatile boolean begun;

    /** From now on; what was renewed before is taken to be fresh. */
    void begin() {
        begun = true;
    }

    /** Passes on what becomes of a renewal of the lease of {@code owner}, and counts it if it was granted. */
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

    /** The oldest so far, those that wait for their next renewal included; in nanoseconds. */
    long oldestNanos() {
        long now = System.nanoTime();
        return sent.values().stream().mapToLong(at -> now - at).reduce(oldest.get(), Math::max);
    }
}
