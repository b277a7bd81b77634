package dev.mandate.nats;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps a connection from writing for a moment when much is about to be handed to it, so that it leaves together: one by one, each message would
 * cost a call of the system here, and wake the server.
 */
final class Cork {
    /** What it takes to hand over some hundred messages. */
    private static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private volatile long untilNanos = System.nanoTime();

    /** Who begins to write within the next two milliseconds waits until they are over, unless somebody waits already. */
    void hold() {
        long now = System.nanoTime();
        if (untilNanos - now <= 0) {
            untilNanos = now + HOLD_NANOS;
        }
    }

    /** Waits until it may be written, two milliseconds at most. An interrupted thread need not wait. */
    void await() {
        // Once: whoever holds it anew meanwhile would make us wait on and on.
        long until = untilNanos;
        long left = until - System.nanoTime();
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, left);
            left = until - System.nanoTime();
        }
    }

    /** Who knows the cork of a connection. */
    interface Keeper {
        Cork cork();
    }
}
