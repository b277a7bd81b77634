package dev.mandate;

import java.util.List;

/** Called when the queue of any election changes; as {@link ElectionsListener} otherwise. */
@FunctionalInterface
public interface QueuesListener {
    /**
     * Queues have changed, or the view has become stale, or is no longer.
     *
     * @param now the whole
     * @param changed the queues that differ from what the call before told, as they are now, by name of the election;
     *     one in which nobody waits any more is empty. In the first call all queues. Empty if nothing changed but
     *     {@link QueuesView#stale()}
     */
    void changed(QueuesView now, List<ElectionQueue> changed);
}
