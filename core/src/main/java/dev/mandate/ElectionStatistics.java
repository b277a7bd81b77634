package dev.mandate;

import java.time.Duration;
import java.util.Optional;

/**
 * One election that a client campaigns in, at the instant of asking. Immutable. Comes from {@link
 * ClientStatistics#elections()}; later versions may add methods.
 */
public interface ElectionStatistics {
    /** The election's name. */
    String election();

    /** Whether this client led, by the clock: {@link Leadership#isValid()} was true. */
    boolean isLeader();

    /** The token of the term. Present if, and only if, {@link #isLeader()}. */
    Optional<FencingToken> fencingToken();

    /**
     * How long ago the last confirmed renewal of the term was sent; the win counts as the first. The same for all
     * elections where one session keeps them all. Present if, and only if, {@link #isLeader()}. While the store answers
     * it stays below {@code renewInterval} plus the time of an answer; at {@link Explanation#believedFor()} the term
     * ends.
     */
    Optional<Duration> renewalAge();
}
