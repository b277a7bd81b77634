package dev.mandate.internal;

import dev.mandate.engine.Now;

/**
 * All registrations of a client, as one of them sees them. On the loop, unless stated otherwise.
 *
 * @param <R> the type of a registration
 */
interface Registrations<R> {
    /** Calls of the store. */
    TimedCalls calls();

    /** A number that no command had before. */
    long nextCommand();

    /** It has a machine from now on. */
    void begun(R registration);

    /** It is in the store. */
    void stands(R registration, Now now);

    /** Whether there is a newer registration of the same id. Any thread. */
    boolean isSucceeded(R registration);

    /** Nothing is left of it. */
    void over(R registration);
}
