package dev.mandate;

import dev.mandate.spi.Verb;
import java.time.Duration;

/**
 * A client's calls of one verb to its store. Immutable. Comes from {@link ClientStatistics#calls()}; later versions may
 * add methods.
 */
public interface CallStatistics {
    /** The verb. */
    Verb verb();

    /**
     * How many calls were sent. It exceeds the sum of all outcomes by the calls in flight, and by those that the store
     * never answers; Mandate's stores end every call by its deadline.
     */
    long sent();

    /** How many calls ended like this. Counted when the client takes the answer. */
    long count(CallOutcome outcome);

    /**
     * The sum of the times that the calls that ended like this took, from the send until the client's loop took the
     * answer. Includes the time that an answer waited for the loop. A call that fails before it reaches the store takes
     * next to none.
     */
    Duration time(CallOutcome outcome);
}
