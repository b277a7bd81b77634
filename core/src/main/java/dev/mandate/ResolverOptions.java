package dev.mandate;

import java.time.Duration;
import java.util.Optional;

/** How a {@link LeaderResolver} resolves. Immutable; start from {@link #DEFAULTS}. */
public final class ResolverOptions {
    /** Knowledge counts for a lease. */
    public static final ResolverOptions DEFAULTS = new ResolverOptions(Optional.empty());

    private final Optional<Duration> maxAge;

    private ResolverOptions(Optional<Duration> maxAge) {
        this.maxAge = maxAge;
    }

    /**
     * Uses only what the store has confirmed within {@code maxAge}. Default, and maximum: the lease L of the client. If
     * it is shorter than the time between two reads (L/3 while the store's watch works, else {@code pollInterval}),
     * {@link LeaderResolver#now()} is empty in between, and {@link LeaderResolver#await} asks the store.
     *
     * @throws IllegalArgumentException if not more than 0
     */
    public ResolverOptions withMaxAge(Duration maxAge) {
        if (maxAge.isZero() || maxAge.isNegative()) {
            throw new IllegalArgumentException("maxAge is " + maxAge + "; it must be more than 0");
        }
        return new ResolverOptions(Optional.of(maxAge));
    }

    /** The greatest age of what is used; empty for the client's lease. */
    public Optional<Duration> maxAge() {
        return maxAge;
    }
}
