package dev.mandate.spi;

/** An open watch. After {@link #close()} returned, no further hint is delivered. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {
    /** A subscription to nothing, for stores without a watch. */
    Subscription NONE = () -> {};

    /** Ends the watch. Idempotent; does not throw. */
    @Override
    void close();
}
