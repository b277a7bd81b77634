package dev.mandate.support;

import dev.mandate.spi.Observation;

/** What a store noted in an observation that comes back to it. */
public final class OwnObservation {
    private OwnObservation() {}

    /**
     * The basis as the store's own type.
     *
     * @throws IllegalArgumentException if the observation is another store's
     */
    public static <T> T basis(Class<T> type, Observation seen) {
        return own(type, seen.basis(), seen);
    }

    /** The same for what shows that the holder is alive. */
    public static <T> T liveness(Class<T> type, Observation.Held held) {
        return own(type, held.liveness(), held);
    }

    private static <T> T own(Class<T> type, Object part, Observation seen) {
        if (!type.isInstance(part)) {
            throw new IllegalArgumentException("an observation of another store: " + seen);
        }
        return type.cast(part);
    }
}
