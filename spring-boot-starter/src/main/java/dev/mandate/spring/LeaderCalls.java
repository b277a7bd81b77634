package dev.mandate.spring;

import dev.mandate.Leadership;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls that run in one term. Safe for use from many threads. */
final class LeaderCalls {
    private static final System.Logger LOGGER = System.getLogger("dev.mandate.spring");

    private final Leadership leadership;
    private final List<LeaderCall> running = new ArrayList<>();
    private boolean isClosed;

    LeaderCalls(Leadership leadership) {
        this.leadership = leadership;
    }

    Leadership leadership() {
        return leadership;
    }

    /**
     * Begins a call on this thread; null if none may begin. After {@link #close}, only calls inside running ones may:
     * those finish their work. Whoever gets a call must {@link #leave} it.
     */
    @Nullable
    LeaderCall enter() {
        synchronized (running) {
            boolean isOpen = !isClosed || running.stream().anyMatch(LeaderCall::isOnThisThread);
            if (!isOpen || !leadership.isValid()) {
                return null;
            }
            LeaderCall call = LeaderCall.begin();
            running.add(call);
            return call;
        }
    }

    /** Ends a call, on its thread, which keeps no interruption of ours. */
    void leave(LeaderCall call) {
        try {
            call.end();
        } finally {
            synchronized (running) {
                running.remove(call);
                running.notifyAll();
            }
        }
    }

    /** From now on, calls begin only inside running ones. */
    void close() {
        synchronized (running) {
            isClosed = true;
        }
    }

    /** Waits until no call runs. */
    void awaitEnd() throws InterruptedException {
        synchronized (running) {
            while (!running.isEmpty()) {
                running.wait();
            }
        }
    }

    /** Interrupts what runs, and waits until it has returned, however long that takes. */
    void interruptAndAwaitEnd() {
        List<LeaderCall> now;
        synchronized (running) {
            now = List.copyOf(running);
        }
        now.forEach(this::interrupt);
        boolean wasInterrupted = false;
        while (true) {
            try {
                awaitEnd();
                break;
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** On a thread of its own: one interruption that hangs or fails must not keep the others from theirs. */
    private void interrupt(LeaderCall call) {
        try {
            Thread thread = new Thread(() -> interruptNow(call), "mandate-interrupt-" + leadership.election());
            thread.setDaemon(true);
            thread.start();
        } catch (Throwable e) {
            // No thread to be had.
            interruptNow(call);
        }
    }

    private static void interruptNow(LeaderCall call) {
        try {
            call.interrupt();
        } catch (Throwable e) {
            LOGGER.log(Level.WARNING, "failed to interrupt a call of a @LeaderOnly method", e);
        }
    }
}
