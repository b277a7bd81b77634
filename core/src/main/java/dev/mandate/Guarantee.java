package dev.mandate;

/** How much leadership from a store is worth, from least to most. */
public enum Guarantee {
    /** Two leaders are possible in ordinary faults; no token. For efficiency only. */
    ADVISORY,
    /** Belief is exclusive under the stated assumptions; the token may go back if the store loses acknowledged writes. */
    LEASED,
    /** Belief is exclusive, and every later term has a strictly larger token for the life of the store's data. */
    FENCED;

    /** Whether this is as good as {@code demanded}, or better. */
    public boolean covers(Guarantee demanded) {
        return compareTo(demanded) >= 0;
    }
}
