package dev.mandate;

import java.time.Duration;
import java.util.List;

/**
 * Who waits for what, as far as is known. Immutable; ask again for a newer one. Comes from a {@link QueuesWatch}:
 * members may be added, which changes the constructor.
 *
 * @param queues those in which somebody waits, by name of the election
 * @param age how long ago the store last answered for all of them. What a watch tells is no answer: some of this may be
 *     younger
 * @param stale true if the store has not confirmed the list for a lease, or never did. A stale view is the last known
 *     list
 */
public record QueuesView(List<ElectionQueue> queues, Duration age, boolean stale) {
    public QueuesView {
        queues = List.copyOf(queues);
    }
}
