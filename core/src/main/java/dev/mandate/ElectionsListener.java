package dev.mandate;

import java.util.List;

/**
 * Called when a leader of any election changes: on the client's executor, one call at a time, in order. The next call
 * reports all that happened during this one, so a slow listener misses no election, but may miss states that did not
 * last. A listener that blocks delays other listeners by some tenths of a second at most. What it throws is logged and
 * otherwise ignored. There are no calls after {@code close()} of the {@link ElectionsWatch} returned.
 */
@FunctionalInterface
public interface ElectionsListener {
    /**
     * Leaders have changed, or the view became stale or is no longer stale.
     *
     * @param now the whole view
     * @param changes the differences from the previous call, by name of the election; in the first call all leaders, as
     *     new. Empty if only {@link ElectionsView#stale()} changed
     */
    void changed(ElectionsView now, List<ElectionChange> changes);
}
