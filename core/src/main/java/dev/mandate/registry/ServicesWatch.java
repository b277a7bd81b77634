package dev.mandate.registry;

import java.time.Duration;

/** Follows all services of a store. Comes from {@link Registry#watchServices}. Safe for use from many threads. */
public interface ServicesWatch extends AutoCloseable {
    /** The newest view. Until the store first answers it is empty and stale. Does not block or ask the store. */
    ServicesView view();

    /**
     * Waits until the store has listed all services once. Blocks.
     *
     * @return the newest view; stale if that did not happen within {@code atMost}, or this watch or
     *     its client is closed
     */
    ServicesView awaitListed(Duration atMost) throws InterruptedException;

    /**
     * Ends the watch. Waits for a running call of the listener, unless called from it; from another listener it waits
     * for the request time-out at most. Idempotent; does not throw.
     */
    @Override
    void close();
}
