package dev.mandate.registry;

import java.util.Optional;

/** Follows a service. Safe for use from many threads. */
public interface ServiceWatch extends AutoCloseable {
    /** The newest view. Until the store first answers it is empty and stale. Does not block. */
    ServiceView view();

    /**
     * The next passing instance, round robin, in the order of {@link ServiceView#after}. Empty if none
     * passes. Does not block.
     */
    Optional<RegisteredInstance> next();

    /** The passing instance for {@code key}; see {@link ServiceView#forKey}. Does not block. */
    default Optional<RegisteredInstance> forKey(String key) {
        return view().forKey(key);
    }

    /**
     * Ends the watch. Waits for a running call of the listener, unless called from it; from another listener it waits
     * for the request time-out at most. Idempotent; does not throw.
     */
    @Override
    void close();
}
