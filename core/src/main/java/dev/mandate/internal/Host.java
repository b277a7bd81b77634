package dev.mandate.internal;

import dev.mandate.engine.Now;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * What a client takes from the machine it runs on: clocks, threads, waiting, and the way out of the JVM. Tests and the simulator put another one
 * here, and drive the same client through virtual time. Both take a call for a point where a thread may lose its processor, so no method is called
 * while a lock is held.
 */
public interface Host {
    /** All clocks, read now, the monotonic one last. Any thread. */
    Now now();

    /**
     * As {@link #now()}, but cheaper: a suspension since {@code earlier} may not show in the time since boot. Good for what counts from a send, and
     * for what is asked again before anybody believes it.
     */
    default Now since(Now earlier) {
        return now();
    }

    /** What must be true of this machine's clocks for the promises to hold, in sentences. */
    default List<String> assumptions() {
        return List.of();
    }

    /** The monotonic clock alone. Any thread. */
    long nanos();

    /** Takes {@code step} again and again, on a thread of its own, until it returns {@link Step#DONE}. */
    Drive drive(String name, Step step);

    /** Threads for work that may block, as many as there is work at a time, their names beginning with {@code name}. */
    Workers workers(String name);

    /**
     * Waits until {@code done} is completed in any way, or the monotonic clock reaches {@code untilNanos}.
     *
     * @return whether it is completed
     */
    boolean await(CompletableFuture<?> done, long untilNanos) throws InterruptedException;

    /** Ends the JVM at once, without shutdown hooks. */
    void halt(int status);

    /** One turn of something that lives as long as its client. */
    @FunctionalInterface
    interface Step {
        /** Returned instead of a time: there is no next turn. */
        long DONE = Long.MIN_VALUE;

        /** Does what there is to do and returns when, on the monotonic clock, it wants to be called again. Must not throw. */
        long step();
    }

    /** Where work runs. It never refuses; it throws an Error if there is no thread to be had. */
    interface Workers extends Executor {
        /** No more work is expected, and idle threads end. */
        void shutdown();

        /** Completed when, after {@link #shutdown}, the last thread has ended. */
        CompletableFuture<Void> terminated();
    }

    /** A {@link Step} being driven. Any thread may call. */
    interface Drive {
        /** Asks for a turn now. Never blocks. */
        void wake();

        /** Whether the caller is inside a turn. */
        boolean isCurrent();

        /** Interrupts a turn that hangs. */
        void interrupt();

        /** Completed when the last turn has ended. */
        CompletableFuture<Void> ended();
    }
}
