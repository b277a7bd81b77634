package dev.mandate.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Polls for a condition within a bound: what a test does instead of sleeping. The bound says when to give up, so make
 * it generous; a condition that becomes true is noticed within 20 ms.
 */
public final class Await {
    private static final long PAUSE_FIRST_NANOS = 200_000;
    private static final long PAUSE_MAX_NANOS = 20_000_000;

    private Await() {}

    /** Something that becomes true. */
    @FunctionalInterface
    public interface Condition {
        /** Whether it is true now. An exception fails the test at once. */
        boolean holds() throws Exception;
    }

    /** Something that appears. */
    @FunctionalInterface
    public interface Look<T> {
        /** Returns what is there now, if anything. An exception fails the test at once. */
        Optional<T> look() throws Exception;
    }

    /**
     * Waits until {@code condition} holds.
     *
     * @param what completes the sentence "waited for …"
     * @throws AssertionError if it does not hold in time, its check throws, or the thread is interrupted
     */
    public static void until(String what, Duration atMost, Condition condition) {
        value(what, atMost, () -> condition.holds() ? Optional.of(true) : Optional.empty());
    }

    /** Waits until {@code look} finds something, and returns it; otherwise like {@link #until}. */
    public static <T> T value(String what, Duration atMost, Look<T> look) {
        long start = System.nanoTime();
        long pause = PAUSE_FIRST_NANOS;
        while (true) {
            // Read before the look, so that a thread held up in between still looks once after the bound.
            boolean isLast = System.nanoTime() - start >= atMost.toNanos();
            @Nullable T found = look(what, look);
            if (found != null) {
                return found;
            }
            if (isLast) {
                throw new AssertionError("waited for " + what + ", in vain for " + atMost.toMillis() + " ms");
            }
            pause(what, pause);
            pause = Math.min(PAUSE_MAX_NANOS, pause * 2);
        }
    }

    /** Lets time pass where there is nothing to wait for: to test that something does <em>not</em> happen. */
    public static void passing(Duration time) {
        long start = System.nanoTime();
        for (long left = time.toNanos(); left > 0; left = time.toNanos() - (System.nanoTime() - start)) {
            pause("time to pass", left);
        }
    }

    private static <T> @Nullable T look(String what, Look<T> look) {
        try {
            return look.look().orElse(null);
        } catch (Exception e) {
            throw new AssertionError("waited for " + what + ", which failed: " + e, e);
        }
    }

    private static void pause(String what, long nanos) {
        LockSupport.parkNanos(Math.min(nanos, TimeUnit.SECONDS.toNanos(1)));
        if (Thread.currentThread().isInterrupted()) {
            throw new AssertionError("waited for " + what + ", and was interrupted");
        }
    }
}
