package dev.mandate;

/** A running observation. */
public interface Observing extends AutoCloseable {
    /** The newest state. */
    LeaderView view();

    /**
     * Ends the observation. Waits for a running call of the listener, unless called from it; from another listener it
     * waits for the request time-out at most. Idempotent; does not throw.
     */
    @Override
    void close();
}
