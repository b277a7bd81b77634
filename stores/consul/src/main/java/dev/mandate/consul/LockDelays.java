package dev.mandate.consul;

import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * When to ask again for a lock that is free and not given to anybody yet. Consul says neither when that began nor how long it lasts, and wakes
 * nobody at its end. So it is asked again when the delay is over if it began with the first refusal and is as long as our own, and a few
 * times before: whoever comes late would wait too long. Thread-safe.
 */
final class LockDelays {
    private static final int KEYS_MAX = 10_000;
    /** Before the reckoned end, it is asked this often at most. */
    private static final int STEPS = 10;

    private static final Duration STEP_MIN = Duration.ofSeconds(1);

    /** A timer of Consul's may be this late. */
    private static final Duration MARGIN = Duration.ofMillis(20);

    private static final Duration AFTER_MIN = Duration.ofMillis(100);

    private record Delay(long index, long firstNanos, int after) {}

    private final Duration lockDelay;
    private final LongSupplier clock;
    private final Map<RecordKey, Delay> delays = new LinkedHashMap<>();

    LockDelays(Duration lockDelay, LongSupplier clock) {
        this.lockDelay = lockDelay;
        this.clock = clock;
    }

    /** The lock of {@code key}, free since {@code index}, was refused: how long to wait. */
    synchronized Duration refused(RecordKey key, long index) {
        long now = clock.getAsLong();
        Delay known = delays.get(key);
        Delay delay = known == null || known.index() != index ? new Delay(index, now, 0) : known;
        Duration left = lockDelay.plus(MARGIN).minusNanos(now - delay.firstNanos());
        Duration step = max(STEP_MIN, lockDelay.dividedBy(STEPS));
        Duration wait;
        if (left.isNegative() || left.isZero()) {
            // It is that of somebody with other settings: soon at first, then ever more seldom.
            wait = min(step, AFTER_MIN.multipliedBy(1L << Math.min(delay.after(), 20)));
            delay = new Delay(delay.index(), delay.firstNanos(), delay.after() + 1);
        } else {
            wait = min(step, left);
        }
        delays.remove(key);
        delays.put(key, delay);
        if (delays.size() > KEYS_MAX) {
            delays.remove(delays.keySet().iterator().next());
        }
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
