package dev.mandate;

import java.time.Duration;
import java.util.Optional;

/** How a {@link LeaderResolver} resolves. Immutable; start from {@link #DEFAULTS}. */
public final class ResolverOptions {
    /** What is known is used for a lease. */
    public static final ResolverOptions DEFAULTS = new ResolverOptions(Optional.empty());

    private final Optional<Duration> maxAge;

    private ResolverOptions(Optional<Duration> maxAge) {
        this.maxAge = maxAge;
    }

    /**
     * Uses nothing that the store has not confirmed within {@code maxAge}. Default: the lease L of the client, which is
     * also the most. With less than the time between two looks at the store (L/3 while its watch works, else {@code
     * poll}) {@link LeaderResolver#now()} is empty in between, and {@link LeaderResolver#await} asks the store.
     *
     * @throws IllegalArgumentException if not more than 0
     */
    public ResolverOptions withMaxAge(Duration maxAge) {
        if (maxAge.isZero() || maxAge.isNegative()) {
            throw new IllegalArgumentException("maxAge is " + maxAge + "; it must be more than 0");
        }
        return new ResolverOptions(Optional.of(maxAge));
    }

    /** How old what is used may be; empty for the client's lease. */
    public Optional<Duration> maxAge() {
        return maxAge;
    }
}
