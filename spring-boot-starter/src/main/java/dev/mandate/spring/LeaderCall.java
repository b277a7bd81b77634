package dev.mandate.spring;

import org.jspecify.annotations.Nullable;

/** A call of a {@link LeaderOnly} method that runs, perhaps inside others of its thread, in whatever elections. */
final class LeaderCall {
    private static final ThreadLocal<LeaderCall> INNERMOST = new ThreadLocal<>();

    private final Thread thread = Thread.currentThread();
    private final @Nullable LeaderCall outer;

    /** One for all calls of this thread that are inside each other; other threads' interruptions never wait for it. */
    private final Object lock;

    private boolean isOver;
    private boolean isInterrupted;

    private LeaderCall(@Nullable LeaderCall outer) {
        this.outer = outer;
        this.lock = outer == null ? new Object() : outer.lock;
    }

    /** Begins a call on this thread, inside those that run there already. */
    static LeaderCall begin() {
        LeaderCall call = new LeaderCall(INNERMOST.get());
        INNERMOST.set(call);
        return call;
    }

    boolean isOnThisThread() {
        return thread == Thread.currentThread();
    }

    /**
     * Interrupts its thread, unless the call is over: the thread may then be doing something else. May run foreign
     * code, since {@code Thread.interrupt} closes a channel on which the thread waits.
     */
    void interrupt() {
        synchronized (lock) {
            if (!isOver) {
                isInterrupted = true;
                thread.interrupt();
            }
        }
    }

    /**
     * Ends it, on its thread. Waits for an interruption that is under way, and clears it, unless a call around this one
     * was interrupted, too: that has to notice.
     */
    void end() {
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
        synchronized (lock) {
            isOver = true;
            if (isInterrupted && !isInsideInterrupted()) {
                Thread.interrupted();
            }
        }
    }

    private boolean isInsideInterrupted() {
        for (LeaderCall around = outer; around != null; around = around.outer) {
            if (around.isInterrupted) {
                return true;
            }
        }
        return false;
    }
}
