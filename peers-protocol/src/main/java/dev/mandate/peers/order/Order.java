package dev.mandate.peers.order;

import dev.mandate.spi.Ordered;
import dev.mandate.spi.Stance;
import java.util.List;

/**
 * Tells this instance its place among those that want to lead, for each vacancy of each election: place 0 tries first,
 * place n after n steps.
 *
 * <p>One order serves all elections of one member of a group. A deterministic function with memory: no event may throw,
 * whatever peers send. Each {@link Stance.Seeking} is answered by {@link OrderAction.Placed} within {@link
 * OrderTiming#placeNanos()}, by {@link OrderAction.Placed#UNKNOWN} at the latest; a later answer replaces an earlier
 * one. Both bounds hold as long as {@link OrderEvent.Tick} comes at {@link #wakeAtNanos()}.
 *
 * <p>Promised once nothing is lost, and all that stand notice the vacancy: the members that stand have the places 0, 1,
 * 2 … from the last named to the first. Never promised: that only one member has place 0.
 *
 * <p>Not safe for use from several threads.
 */
public sealed interface Order permits Race, DecidingOrder {
    /** The largest group that an order can serve. */
    int MEMBERS_MAX = 64;

    /** The most steps that a place costs: {@link OrderAction.Placed#UNKNOWN}, or any place from 8 on. */
    int STEPS_MAX = Ordered.STEPS_MAX;

    /**
     * What is to be done now that {@code event} happened.
     *
     * @param nowNanos the monotonic clock; going back, it is taken to stand still
     * @return in this order; the list belongs to the caller
     */
    List<OrderAction> step(OrderEvent event, long nowNanos);

    /** When {@link OrderEvent.Tick} is wanted, on the clock of {@link #step}; {@code Long.MAX_VALUE} for never. */
    long wakeAtNanos();
}
