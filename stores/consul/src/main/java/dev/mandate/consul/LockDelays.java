package dev.mandate.consul;

import dev.mandate.spi.RecordKey;
import dev.mandate.support.BoundedMap;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * When to retry a lock that is free but still in its lock-delay. Consul reports neither its beginning nor its length,
 * and notifies nobody at its end. So the next try comes when a delay like our own, counted from the first refusal,
 * would be over, with a few tries before that, because the delay may have begun earlier. Thread-safe.
 */
final class LockDelays {
    private static final int KEYS_MAX = 10_000;
    /** The most tries before the estimated end. */
    private static final int STEPS = 10;

    private static final Duration STEP_MIN = Duration.ofSeconds(1);

    /** Consul's timers may be this late. */
    private static final Duration MARGIN = Duration.ofMillis(20);

    private static final Duration AFTER_MIN = Duration.ofMillis(100);

    private record Delay(long index, long firstNanos, int after) {}

    private final Duration lockDelay;
    private final LongSupplier clock;
    private final Map<RecordKey, Delay> delays = new BoundedMap<>(KEYS_MAX);

    LockDelays(Duration lockDelay, LongSupplier clock) {
        this.lockDelay = lockDelay;
        this.clock = clock;
    }

    /** Returns how long to wait after the lock of {@code key}, free since {@code index}, was refused. */
    synchronized Duration refused(RecordKey key, long index) {
        long now = clock.getAsLong();
        Delay known = delays.get(key);
        Delay delay = known == null || known.index() != index ? new Delay(index, now, 0) : known;
        Duration left = lockDelay.plus(MARGIN).minusNanos(now - delay.firstNanos());
        Duration step = max(STEP_MIN, lockDelay.dividedBy(STEPS));
        Duration wait;
        if (left.isNegative() || left.isZero()) {
            // The former holder has a longer delay: retry soon, then less and less often.
            wait = min(step, AFTER_MIN.multipliedBy(1L << Math.min(delay.after(), 20)));
            delay = new Delay(delay.index(), delay.firstNanos(), delay.after() + 1);
        } else {
            wait = min(step, left);
        }
        delays.put(key, delay);
        return wait;
    }

    synchronized void over(RecordKey key) {
        delays.remove(key);
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private static Duration max(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }
}
