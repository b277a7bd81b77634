package dev.mandate.registry;

/**
 * One difference between two views of a service. Comes from a {@link Registry}: members may be added, which changes the
 * constructor.
 *
 * @param kind what became of the instance
 * @param instance the instance: as it is now, or as it was if it was removed
 */
public record ServiceChange(Kind kind, RegisteredInstance instance) {
    /** What can become of an instance. */
    public enum Kind {
        /** It is listed from now on. */
        ADDED,
        /** It says something else, or was registered anew. */
        CHANGED,
        /** It is not listed any more: it was closed, its lease is over, or somebody deleted it. */
        REMOVED
    }
}
