package dev.mandate.spi;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How long a store call may take. The engine itself gives up waiting at the deadline; the store uses this to cancel the
 * work, so that calls do not pile up behind a server that hangs.
 */
public final class CallContext {
    private final long deadlineNanos;
    private final LongSupplier monotonicNanos;

    private CallContext(long deadlineNanos, LongSupplier monotonicNanos) {
        this.deadlineNanos = deadlineNanos;
        this.monotonicNanos = monotonicNanos;
    }

    /** A context that ends when {@code monotonicNanos} reaches {@code deadlineNanos}. */
    public static CallContext until(long deadlineNanos, LongSupplier monotonicNanos) {
        return new CallContext(deadlineNanos, monotonicNanos);
    }

    /** A context that ends {@code timeout} from now on {@link System#nanoTime()}. */
    public static CallContext within(Duration timeout) {
        return new CallContext(System.nanoTime() + timeout.toNanos(), System::nanoTime);
    }

    /** The time left, never negative. */
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, deadlineNanos - monotonicNanos.getAsLong()));
    }

    /** The time left in whole milliseconds, rounded up, never negative: 0 means over. */
    public long remainingMillis() {
        return (Math.max(0, deadlineNanos - monotonicNanos.getAsLong()) + 999_999) / 1_000_000;
    }

    /** Whether the deadline has passed and nobody waits for the answer any more. */
    public boolean isOver() {
        return deadlineNanos - monotonicNanos.getAsLong() <= 0;
    }
}
