package dev.mandate;

import java.time.Duration;

/**
 * Follows all elections of a store. Comes from {@link ElectionClient#watchElections}. Safe for use from many threads.
 */
public interface ElectionsWatch extends AutoCloseable {
    /**
     * The newest view; stale, and empty, until the store has answered for the first time. Does not block and asks the
     * store nothing.
     */
    ElectionsView view();

    /**
     * Who leads that election, from the newest view, with its age. {@link LeaderView.Vacant} if nobody does, whether or
     * not an election of that name was ever held; {@link LeaderView.Unknown} while the view is stale. Also unknown is a
     * name that is not in a view where {@linkplain ElectionClient#watchElections the limit} is exceeded. Does not block
     * and asks the store nothing.
     *
     * @throws IllegalArgumentException if the name is empty, longer than 512 bytes of UTF-8, or holds control
     *     characters or half a surrogate pair
     */
    LeaderView leader(String election);

    /**
     * Waits until the store has answered for all elections for the first time. Blocks.
     *
     * @return the newest view; stale if that did not happen within {@code atMost}, or this watch or its client is
     *     closed
     */
    ElectionsView awaitListed(Duration atMost) throws InterruptedException;

    /**
     * Ends it; waits for a running call of the listener unless called from it (from another listener, for the answer
     * time-out at most). {@link #view()} stays what it was, and becomes stale. Idempotent; does not throw.
     */
    @Override
    void close();
}
