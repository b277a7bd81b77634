package dev.mandate.spring;

import dev.mandate.Leadership;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls that run in one term. Safe for use from many threads. */
final class LeaderCalls {
    private final Leadership leadership;
    private final List<LeaderCall> running = new ArrayList<>();
    private boolean isClosed;

    LeaderCalls(Leadership leadership) {
        this.leadership = leadership;
    }

    Leadership leadership() {
        return leadership;
    }

    /** Begins a call on this thread; null if none may begin any more. Whoever gets one must {@link #leave} it. */
    @Nullable
    LeaderCall enter() {
        synchronized (running) {
            if (isClosed || !leadership.isValid()) {
                return null;
            }
            LeaderCall call = new LeaderCall(Thread.currentThread());
            running.add(call);
            return call;
        }
    }

    /** Ends a call, on its thread, which keeps no interruption of ours. */
    void leave(LeaderCall call) {
        boolean wasInterrupted = call.end();
        boolean isLast;
        synchronized (running) {
            running.remove(call);
            isLast = running.stream().noneMatch(c -> c.isOn(call));
            running.notifyAll();
        }
        if (wasInterrupted && isLast) {
            Thread.interrupted();
        }
    }

    /** From now on, no call begins. */
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
        now.forEach(LeaderCall::interrupt);
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
}
