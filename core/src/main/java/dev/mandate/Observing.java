package dev.mandate;

/** A running observation. */
public interface Observing extends AutoCloseable {
    /** The newest state. */
    LeaderView view();

    /** Ends it; waits for a running call of the listener unless called from it. Idempotent; does not throw. */
    @Override
    void close();
}
