package dev.mandate.testkit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * How long this machine kept a thread from running that was due, added up: what a bound that supposes answers in time
 * has to be allowed. One thread feels less than many processes that wait for each other, so what it felt is doubled.
 */
final class Stalls implements AutoCloseable {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Timers are as coarse as that on an idle machine. */
    private static final long COARSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final AtomicLong felt = new AtomicLong();
    private final Thread thread = new Thread(this::feel, "mandate-stalls");
    private volatile boolean isClosed;

    Stalls() {
        thread.setDaemon(true);
        thread.start();
    }

    private void feel() {
        long before = System.nanoTime();
        while (!isClosed) {
            LockSupport.parkNanos(PAUSE_NANOS);
            long now = System.nanoTime();
            felt.addAndGet(2 * Math.max(0, now - before - PAUSE_NANOS - COARSE_NANOS));
            before = now;
        }
    }

    /** All so far. */
    long nanos() {
        return felt.get();
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
    }
}
