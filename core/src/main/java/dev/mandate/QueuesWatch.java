package dev.mandate;

import java.time.Duration;

/**
 * Follows the queues of all elections. Comes from {@link ElectionClient#watchQueues}. Safe for use from many threads.
 */
public interface QueuesWatch extends AutoCloseable {
    /**
     * The newest view; stale, and empty, until the store has answered for the first time. Does not block and asks the
     * store nothing.
     */
    QueuesView view();

    /**
     * Waits until the store has answered for all queues for the first time. Blocks.
     *
     * @return the newest view; stale if that did not happen within {@code atMost}, or this watch or its client is
     *     closed
     */
    QueuesView awaitListed(Duration atMost) throws InterruptedException;

    /**
     * Ends it; waits for a running call of the listener unless called from it (from another listener, for the answer
     * time-out at most). Idempotent; does not throw.
     */
    @Override
    void close();
}
