package dev.mandate.engine;

import java.util.List;

/**
 * What a {@link FollowingMachine} tells those who follow, beside the {@link SweepAction} and {@link SweepFault} of its
 * listings.
 */
public sealed interface FollowingAction extends Action {
    /**
     * The list differs from what was told before.
     *
     * @param isFirst whether nothing was told before: {@code changes} is the whole list, which may be empty
     * @param changes in the order in which they were found; applied to what was told before they make the list
     */
    record Changed<T>(boolean isFirst, List<FollowedChange<T>> changes) implements FollowingAction {
        public Changed {
            changes = List.copyOf(changes);
        }
    }

    /** The store has not confirmed the list for a lease, or has again. The list itself stays as it was. */
    record Stale(boolean isStale) implements FollowingAction {}

    /** More records stand below the prefix than are followed, or no longer. Those that came first are followed on. */
    record Full(boolean isFull) implements FollowingAction {}
}
