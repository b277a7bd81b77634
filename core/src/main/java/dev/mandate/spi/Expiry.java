package dev.mandate.spi;

/** Who decides that a lease is over. */
public enum Expiry {
    /** The store frees the key by itself, never earlier than the lease after the last renewal reached it. */
    STORE_REMOVES,
    /**
     * The record stays until somebody replaces it. A challenger waits a full lease of its own clock without any change of the
     * {@link Liveness}, counted from when it first saw it.
     */
    OBSERVER_JUDGES
}
