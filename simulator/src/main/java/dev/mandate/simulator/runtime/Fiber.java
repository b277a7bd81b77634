package dev.mandate.simulator.runtime;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that runs only while it has the baton, of which there is one in each world. Whoever is descheduled in the midst of something keeps its
 * stack and hands the baton to another fiber, which goes on with the world's events. Fibers are kept for later worlds.
 */
final class Fiber extends Thread {
    private static final long IDLE_NANOS = 5_000_000_000L;
    private static final ConcurrentLinkedDeque<Fiber> IDLE = new ConcurrentLinkedDeque<>();

    private volatile boolean hasBaton;
    private volatile @Nullable Scheduler scheduler;
    /** As the flag of the thread, which is taken back while it waits for the baton. */
    private volatile boolean isInterruptPending;

    /** In whose process it runs something, if it does. */
    @Nullable
    Process process;

    /** What it takes a turn of: a loop, a watchdog, or null. */
    @Nullable
    Driven turn;

    private Fiber() {
        super("mandate-simulated");
        setDaemon(true);
    }

    /** One that has nothing to do. */
    static Fiber idle(Scheduler scheduler) {
        Fiber idle = IDLE.pollFirst();
        boolean isNew = idle == null;
        Fiber fiber = idle == null ? new Fiber() : idle;
        fiber.scheduler = scheduler;
        if (isNew) {
            fiber.start();
        }
        return fiber;
    }

    /** Somebody else may have it; to be called right before it gives the baton away for good. */
    void becomeIdle() {
        process = null;
        turn = null;
        IDLE.addFirst(this);
    }

    @Override
    public void run() {
        while (awaitWork()) {
            Scheduler mine = scheduler;
            if (mine != null) {
                mine.goOn(this);
            }
        }
    }

    private boolean awaitWork() {
        long since = System.nanoTime();
        while (!hasBaton) {
            LockSupport.parkNanos(this, IDLE_NANOS);
            if (!hasBaton && System.nanoTime() - since > IDLE_NANOS && IDLE.remove(this)) {
                return false;
            }
        }
        hasBaton = false;
        takeInterrupt();
        return true;
    }

    /** It runs from now on, and the caller does not. */
    void giveBaton() {
        hasBaton = true;
        LockSupport.unpark(this);
    }

    /** Waits for the baton in the midst of something. What interrupts it meanwhile is kept. */
    void awaitBaton() {
        boolean isInterrupted = false;
        while (!hasBaton) {
            LockSupport.park(this);
            isInterrupted |= Thread.interrupted();
        }
        hasBaton = false;
        if (isInterrupted) {
            super.interrupt();
        }
    }

    /** Whether it was interrupted since {@link #takeInterrupt}. */
    boolean isInterruptPending() {
        return isInterruptPending;
    }

    /** As {@link Thread#interrupted}, of itself. */
    boolean takeInterrupt() {
        isInterruptPending = false;
        return Thread.interrupted();
    }

    @Override
    public void interrupt() {
        super.interrupt();
        isInterruptPending = true;
        Scheduler mine = scheduler;
        if (mine != null) {
            mine.interrupted();
        }
    }
}
