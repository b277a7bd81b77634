package dev.mandate.spi;

/** Who decides that a lease is over. */
public enum Expiry {
    /** The store frees the key by itself, never earlier than a lease after the last renewal reached it. */
    STORE_REMOVES,
    /**
     * The record stays until somebody replaces it. A challenger waits a full lease by its own clock, from when it first
     * saw the {@link Liveness}, during which that does not change.
     */
    OBSERVER_JUDGES
}
