package dev.mandate;

import java.time.Duration;

/**
 * Follows the queues of all elections. Comes from {@link ElectionClient#watchQueues}. Safe for use from many threads.
 */
public interface QueuesWatch extends AutoCloseable {
    /** The newest view. Until the store first answers it is empty and stale. Does not block or ask the store. */
    QueuesView view();

    /**
     * Waits until the store has listed all queues once. Blocks.
     *
     * @return the newest view; stale if that did not happen within {@code atMost}, or this watch or
     *     its client is closed
     */
    QueuesView awaitListed(Duration atMost) throws InterruptedException;

    /**
     * Ends the watch. Waits for a running call of the listener, unless called from it; from another listener it waits
     * for the request time-out at most. Idempotent; does not throw.
     */
    @Override
    void close();
}
