package dev.mandate;

/** A running observation. */
public interface Observing extends AutoCloseable {
    /** The newest state. */
    LeaderView view();

    /** Ends it; waits for a running call of the listener unless called from it (from another listener, for the answer time-out at most). Idempotent; does not throw. */
    @Override
    void close();
}
