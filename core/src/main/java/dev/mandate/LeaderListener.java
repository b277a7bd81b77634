package dev.mandate;

/**
 * Called when the leader changes: on the client's executor, one call at a time, in order. A slow listener receives the
 * newest state and may miss intermediate ones. A listener that blocks delays listeners of other elections by some
 * tenths of a second at most. What it throws is logged and otherwise ignored. There are no calls after {@code close()}
 * of the {@link Observing} returned.
 */
@FunctionalInterface
public interface LeaderListener {
    /** The election now has a leader, is vacant, or its state is unknown. */
    void changed(LeaderView view);
}
