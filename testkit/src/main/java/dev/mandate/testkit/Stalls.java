package dev.mandate.testkit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * How long in total this machine kept a due thread from running: a bound that assumes timely answers is extended by it.
 * One thread feels less than many processes that wait for each other, so its delays count double.
 */
final class Stalls implements AutoCloseable {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** How coarse timers are on an idle machine. */
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
