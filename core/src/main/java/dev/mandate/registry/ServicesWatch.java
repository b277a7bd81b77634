package dev.mandate.registry;

import java.time.Duration;

/** Follows all services of a store. Comes from {@link Registry#watchServices}. Safe for use from many threads. */
public interface ServicesWatch extends AutoCloseable {
    /**
     * The newest view; stale, and empty, until the store has answered for the first time. Does not block and asks the
     * store nothing.
     */
    ServicesView view();

    /**
     * Waits until the store has answered for all services for the first time. Blocks.
     *
     * @return the newest view; stale if that did not happen within {@code atMost}, or this watch or its client is
     *     closed
     */
    ServicesView awaitListed(Duration atMost) throws InterruptedException;

    /**
     * Ends it; waits for a running call of the listener unless called from it (from another listener, for the answer
     * time-out at most). Idempotent; does not throw.
     */
    @Override
    void close();
}
