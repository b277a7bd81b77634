package dev.mandate;

import java.util.List;

/**
 * Called when a leader of any election changes: on the client's executor, one call at a time, in order. What happens
 * during a call is told by the next one, all of it at once, so a slow listener misses no election, but may miss states
 * that did not last. One that blocks keeps other listeners waiting for some tenths of a second at most. What it throws
 * is logged and changes nothing. Nothing is called after {@code close()} of the {@link ElectionsWatch} returned.
 */
@FunctionalInterface
public interface ElectionsListener {
    /**
     * Leaders have changed, or the view has become stale, or is no longer.
     *
     * @param now the whole
     * @param changes what is different from what the call before told, by name of the election; in the first call all
     *     leaders, as new. Empty if nothing changed but {@link ElectionsView#stale()}
     */
    void changed(ElectionsView now, List<ElectionChange> changes);
}
