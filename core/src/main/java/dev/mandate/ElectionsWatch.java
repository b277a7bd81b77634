package dev.mandate;

import java.time.Duration;

/**
 * Follows all elections of a store. Comes from {@link ElectionClient#watchElections}. Safe for use from many threads.
 */
public interface ElectionsWatch extends AutoCloseable {
    /** The newest view. Until the store first answers it is empty and stale. Does not block or ask the store. */
    ElectionsView view();

    /**
     * Who leads that election, from the newest view, with its age. {@link LeaderView.Vacant} if nobody does, whether
     * or not an election of that name was ever held. {@link LeaderView.Unknown} while the view is stale, and for a
     * name that is missing from a view that exceeds {@linkplain ElectionClient#watchElections the limit}. Does not
     * block or ask the store.
     *
     * @throws IllegalArgumentException if the name is empty, longer than 512 bytes of UTF-8, or contains control
     *     characters or half a surrogate pair
     */
    LeaderView view(String election);

    /**
     * Waits until the store has listed all elections once. Blocks.
     *
     * @return the newest view; stale if that did not happen within {@code atMost}, or this watch or
     *     its client is closed
     */
    ElectionsView awaitListed(Duration atMost) throws InterruptedException;

    /**
     * Ends the watch. Waits for a running call of the listener, unless called from it; from another listener it
     * waits for the request time-out at most. {@link #view()} keeps the last list, and becomes stale.
     * Idempotent; does not throw.
     */
    @Override
    void close();
}
