package dev.mandate;

/**
 * Is told who leads, whenever that changes. Called on the client's executor, one call at a time, in order; a slow listener is told the newest
 * state and may miss ones in between. One that blocks keeps listeners of other elections waiting for some tenths of a second at most. What it throws is logged and changes nothing. Nothing is called after {@code close()} of the {@link
 * Observing} returned.
 */
@FunctionalInterface
public interface LeaderListener {
    /** The election is led, vacant, or in an unknown state. */
    void changed(LeaderView view);
}
