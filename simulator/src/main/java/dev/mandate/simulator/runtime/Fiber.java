package dev.mandate.simulator.runtime;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that runs only while it holds its world's single baton. A fiber that is descheduled keeps its stack and
 * hands the baton to another fiber, which runs the world's next events. Fibers are kept for later worlds.
 */
final class Fiber extends Thread {
    private static final long IDLE_NANOS = 5_000_000_000L;
    private static final ConcurrentLinkedDeque<Fiber> IDLE = new ConcurrentLinkedDeque<>();

    private volatile boolean hasBaton;
    private volatile @Nullable Scheduler scheduler;
    /** Mirrors the thread's interrupt flag, which is cleared while it waits for the baton. */
    private volatile boolean isInterruptPending;

    /** The process it runs something of, if any. */
    @Nullable
    Process process;

    /** The loop or watchdog whose turn it runs, or null. */
    @Nullable
    Driven turn;

    private Fiber() {
        super("mandate-simulated");
        setDaemon(true);
    }

    /** A fiber that has nothing to do. */
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

    /** Releases it for others; call this right before it gives the baton away for good. */
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

    /** Waits for the baton in the midst of its work. Keeps interrupts that come meanwhile. */
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

    /** Like {@link Thread#interrupted}, for this fiber. */
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
