package dev.mandate.support;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Pauses between tries: each about twice as long as the one before, and spread at random, so that the clients of a
 * server that comes back do not all call at once. For one thread.
 */
public final class BackOff {
    private final long minNanos;
    private final long maxNanos;
    private long nanos;

    /** From {@code min}, positive, to {@code max}; a pause may be half as long. */
    public BackOff(Duration min, Duration max) {
        this.minNanos = min.toNanos();
        this.maxNanos = max.toNanos();
        this.nanos = minNanos;
    }

    /** The next pause, never longer than the longest. */
    public long nextNanos() {
        return nextNanos(Duration.ofNanos(maxNanos));
    }

    /** The same with another longest pause, as where the setup has to change before a try can succeed. */
    public long nextNanos(Duration max) {
        long pause = Math.min(max.toNanos(), nanos);
        nanos = Math.min(Math.max(maxNanos, max.toNanos()), 2 * pause);
        return pause - ThreadLocalRandom.current().nextLong(pause / 2 + 1);
    }

    /** A try succeeded: begins with the shortest pause again. */
    public void reset() {
        nanos = minNanos;
    }
}
