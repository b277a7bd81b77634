package dev.mandate.engine;

import dev.mandate.spi.RecordKey;
import java.util.List;

/**
 * What a {@link FollowingMachine} wants done or reports, beside the {@link SweepAction} and {@link
 * SweepFault} of its listings.
 */
public sealed interface FollowingAction extends Action {
    /**
     * The list differs from the last report.
     *
     * @param isFirst whether this is the first report: then {@code changes} is the whole list, which may be empty
     * @param changes in the order in which they were found; applied to earlier reports they give the list
     */
    record Changed<T>(boolean isFirst, List<FollowedChange<T>> changes) implements FollowingAction {
        public Changed {
            changes = List.copyOf(changes);
        }
    }

    /**
     * Read one record, for {@link FollowingMachine#looked} or {@link FollowingMachine#notLooked}: the store confirms
     * the list as long as the record is the one known.
     *
     * @param key of a record below the prefix
     * @param request unique within one machine
     * @param timeoutNanos how long the answer is awaited
     */
    record Look(RecordKey key, long request, long timeoutNanos) implements FollowingAction {}

    /** The store has not confirmed the list for a lease, or has again. The list itself stays the same. */
    record Stale(boolean isStale) implements FollowingAction {}

    /** More records exist below the prefix than are followed, or no longer. The first to come still are. */
    record Full(boolean isFull) implements FollowingAction {}
}
