package dev.mandate.registry;

/** Whether an instance wants to be called, as it says itself. */
public enum Status {
    /** Not ready yet. */
    STARTING,
    /** Ready. The only status that is {@linkplain ServiceView#passing passing}. */
    UP,
    /** Not working, or its health check failed. */
    DOWN,
    /** Taken out by hand, and out until somebody sets another status: no health check ends it. */
    OUT_OF_SERVICE;

    /**
     * The status of that name; {@link #DOWN} for every other word, so that nobody calls what a newer version means by
     * it.
     */
    public static Status of(String word) {
        for (Status each : values()) {
            if (each.name().equals(word)) {
                return each;
            }
        }
        return DOWN;
    }
}
