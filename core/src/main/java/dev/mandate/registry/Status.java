package dev.mandate.registry;

/** Whether an instance wants to be called, as it says itself. */
public enum Status {
    /** Not ready yet. */
    STARTING,
    /** Ready. The only status that is {@linkplain ServiceView#passing passing}. */
    UP,
    /** Not working, or its health check failed. */
    DOWN,
    /** Taken out of service by hand, until somebody sets another status: no health check ends it. */
    OUT_OF_SERVICE;

    /**
     * The status of that name; {@link #DOWN} for any other word, so that nobody calls an instance whose
     * status is unknown here.
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
