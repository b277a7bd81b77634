package dev.mandate;

/** How much leadership from a store is worth, from least to most. */
public enum Guarantee {
    /** Ordinary faults can produce two leaders; there is no token. For efficiency only. */
    ADVISORY,
    /** Belief is exclusive under the stated assumptions. Tokens may repeat if the store loses acknowledged writes. */
    LEASED,
    /** Belief is exclusive, and every later term has a strictly larger token as long as the store keeps its data. */
    FENCED;

    /** Whether this guarantee is at least {@code demanded}. */
    public boolean covers(Guarantee demanded) {
        return compareTo(demanded) >= 0;
    }
}
