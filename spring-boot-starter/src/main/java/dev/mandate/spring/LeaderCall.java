package dev.mandate.spring;

/** A call of a {@link LeaderOnly} method that runs. */
final class LeaderCall {
    private final Thread thread;
    private boolean isOver;
    private boolean isInterrupted;

    LeaderCall(Thread thread) {
        this.thread = thread;
    }

    boolean isOn(LeaderCall other) {
        return thread == other.thread;
    }

    /** Interrupts its thread, unless the call is over: the thread may then be another's. */
    synchronized void interrupt() {
        if (!isOver) {
            isInterrupted = true;
            thread.interrupt();
        }
    }

    /** Ends it. Returns whether it was interrupted. */
    synchronized boolean end() {
        isOver = true;
        return isInterrupted;
    }
}
