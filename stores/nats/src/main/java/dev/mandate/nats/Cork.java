package dev.mandate.nats;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Delays a connection's writes for a moment while many messages are about to come, so that they leave together. One by
 * one, each would cost a system call here and wake the server.
 */
final class Cork {
    /** Enough to hand over some hundred messages. */
    private static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private volatile long untilNanos = System.nanoTime();

    /** Delays writes that begin within the next 2 ms until these are over. No effect while already holding. */
    void hold() {
        long now = System.nanoTime();
        if (untilNanos - now <= 0) {
            untilNanos = now + HOLD_NANOS;
        }
    }

    /** Waits until writing is allowed, 2 ms at most. An interrupted thread does not wait. */
    void await() {
        // Read once: repeated holds would otherwise extend the wait without end.
        long until = untilNanos;
        long left = until - System.nanoTime();
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, left);
            left = until - System.nanoTime();
        }
    }
}
