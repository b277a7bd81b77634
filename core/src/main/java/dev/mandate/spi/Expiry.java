package dev.mandate.spi;

/** Who decides that a lease is over. */
public enum Expiry {
    /** The store frees the key by itself, never earlier than a lease after the last renewal reached it. */
    STORE_REMOVES,
    /**
     * The record stays until somebody replaces it. A challenger takes over once it has seen the {@link Liveness}
     * unchanged for a full lease by its own clock.
     */
    OBSERVER_JUDGES
}
