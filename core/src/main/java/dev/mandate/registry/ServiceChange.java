package dev.mandate.registry;

/**
 * One difference between two views of a service. Created by a {@link Registry}; later versions may add members, which
 * changes the constructor.
 *
 * @param kind what happened to the instance
 * @param instance the instance as it is now, or as it was if it was removed
 */
public record ServiceChange(Kind kind, RegisteredInstance instance) {
    /** What can happen to an instance. */
    public enum Kind {
        /** Newly listed. */
        ADDED,
        /** Published something else, or was registered anew. */
        CHANGED,
        /** No longer listed: it was closed, its lease is over, or somebody deleted it. */
        REMOVED
    }
}
