package dev.mandate;

import java.time.Duration;
import java.util.List;

/**
 * Who waits for what, as far as known. Immutable; ask again for a newer one. Created by a {@link QueuesWatch}; later
 * versions may add members, which changes the constructor.
 *
 * @param queues those in which somebody waits, by name of the election
 * @param age how long ago the store last listed all of them. Hints do not count, so parts of the view may be newer
 * @param stale true if the store has not confirmed the list for a lease, or never did. A stale view is
 *     the last known list
 */
public record QueuesView(List<ElectionQueue> queues, Duration age, boolean stale) {
    public QueuesView {
        queues = List.copyOf(queues);
    }
}
