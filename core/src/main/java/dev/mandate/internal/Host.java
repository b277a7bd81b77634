package dev.mandate.internal;

import dev.mandate.engine.Now;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * What a client takes from the machine it runs on: clocks, threads, waiting, and the way to halt the JVM. Tests and the
 * simulator replace it, and drive the same client through virtual time. Both treat each call as a point where a thread
 * may lose its processor, so no method is called while a lock is held.
 */
public interface Host {
    /** All clocks, read now, the monotonic one last. Any thread. */
    Now now();

    /**
     * As {@link #now()}, but cheaper: a suspension since {@code earlier} may not show in the time since boot. Good for
     * times that count from a send, and where the clocks are read again before anybody believes the result.
     */
    default Now since(Now earlier) {
        return now();
    }

    /** The assumptions about this machine's clocks on which the promises rest, in sentences. */
    default List<String> assumptions() {
        return List.of();
    }

    /** The monotonic clock alone. Any thread. */
    long nanos();

    /** Calls {@code step} again and again, on its own thread, until it returns {@link Step#DONE}. */
    Drive drive(String name, Step step);

    /** Threads for work that may block, one for each piece of work at a time; names begin with {@code name}. */
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

        /** Does what is due and returns when, on the monotonic clock, it wants to be called again. Must not throw. */
        long step();
    }

    /** Runs work. Never refuses; throws an Error if no thread is available. */
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
