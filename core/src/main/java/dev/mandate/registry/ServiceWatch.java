package dev.mandate.registry;

import java.util.Optional;

/** Follows a service. Safe for use from many threads. */
public interface ServiceWatch extends AutoCloseable {
    /** The newest view; stale, and empty, until the store has answered for the first time. Does not block. */
    ServiceView view();

    /**
     * The next passing instance, round robin: each call gives another one, as {@link ServiceView#after} says. Empty if
     * none passes. Does not block.
     */
    Optional<RegisteredInstance> next();

    /** The passing instance for {@code key}; see {@link ServiceView#forKey}. Does not block. */
    default Optional<RegisteredInstance> forKey(String key) {
        return view().forKey(key);
    }

    /**
     * Ends it; waits for a running call of the listener unless called from it (from another listener, for the answer
     * time-out at most). Idempotent; does not throw.
     */
    @Override
    void close();
}
