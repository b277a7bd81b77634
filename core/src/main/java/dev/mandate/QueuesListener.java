package dev.mandate;

import java.util.List;

/** Called when the queue of any election changes; otherwise like {@link ElectionsListener}. */
@FunctionalInterface
public interface QueuesListener {
    /**
     * Queues have changed, or the view became stale or is no longer stale.
     *
     * @param now the whole view
     * @param changed the queues that differ from the previous call, as they are now, by name of the election; a
     *     queue in which nobody waits is empty. In the first call all queues. Empty if only {@link
     *     QueuesView#stale()} changed
     */
    void changed(QueuesView now, List<ElectionQueue> changed);
}
