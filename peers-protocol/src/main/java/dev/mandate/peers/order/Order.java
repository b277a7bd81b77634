package dev.mandate.peers.order;

import dev.mandate.spi.Ordered;
import dev.mandate.spi.Stance;
import java.util.List;

/**
 * Tells this instance its place among those that want to lead, for each vacancy of each election: place 0 tries first,
 * place n after n steps.
 *
 * <p>One order serves all elections of one member of a group. A deterministic function with memory: no event may throw,
 * whatever peers send. {@link OrderAction.Placed} answers each {@link Stance.Seeking} within
 * {@link OrderTiming#placeNanos()}, if need be with {@link OrderAction.Placed#UNKNOWN}; a later answer replaces an
 * earlier one. Both bounds hold as long as {@link OrderEvent.Tick} comes at {@link #wakeAtNanos()}.
 *
 * <p>Promised once no message is lost and all that campaign notice the vacancy: they have the places 0, 1, 2 … from the
 * last named to the first. Never promised: that only one member has place 0.
 *
 * <p>Not safe for use from several threads.
 */
public sealed interface Order permits Race, DecidingOrder {
    /** The largest group that an order can serve. */
    int MEMBERS_MAX = 64;

    /** The most steps that a place costs: {@link OrderAction.Placed#UNKNOWN}, or any place from 8 on. */
    int STEPS_MAX = Ordered.STEPS_MAX;

    /**
     * Takes {@code event}, and returns what to do.
     *
     * @param nowNanos the monotonic clock; if it goes back, it counts as unchanged
     * @return to be done in this order; the list belongs to the caller
     */
    List<OrderAction> step(OrderEvent event, long nowNanos);

    /** When {@link OrderEvent.Tick} is needed, on the clock of {@link #step}; {@code Long.MAX_VALUE} for never. */
    long wakeAtNanos();
}
