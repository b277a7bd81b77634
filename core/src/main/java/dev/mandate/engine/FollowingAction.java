package dev.mandate.engine;

import dev.mandate.spi.RecordKey;
import java.util.List;

/**
 * What a {@link FollowingMachine} wants and tells, beside the {@link SweepAction} and {@link SweepFault} of its
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

    /**
     * Read one record, for {@link FollowingMachine#looked} or {@link FollowingMachine#notLooked}: the store vouches for
     * the list as long as that shows what is known.
     *
     * @param key of a record below the prefix
     * @param request unique within one machine
     * @param timeoutNanos how long the answer is awaited
     */
    record Look(RecordKey key, long request, long timeoutNanos) implements FollowingAction {}

    /** The store has not vouched for the list for a lease, or has again. The list itself stays as it was. */
    record Stale(boolean isStale) implements FollowingAction {}

    /** More records stand below the prefix than are followed, or no longer. Those that came first are followed on. */
    record Full(boolean isFull) implements FollowingAction {}
}
