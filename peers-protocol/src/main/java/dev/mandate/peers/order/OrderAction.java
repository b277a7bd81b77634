package dev.mandate.peers.order;

import dev.mandate.spi.RecordKey;

/** What an {@link Order} wants done. */
public sealed interface OrderAction {

    /**
     * Send {@code message} to member {@code to}, if that can be done soon; messages to one member may share a frame.
     */
    record Send(int to, OrderMessage message) implements OrderAction {}

    /**
     * This member's place for the vacancy of {@code key}: so many that stand come before it. Replaces what was said
     * before for the same vacancy.
     *
     * @param place 0 or more; {@link #UNKNOWN} for last
     */
    record Placed(RecordKey key, int place) implements OrderAction {
        /** The order did not come to an end: last. */
        public static final int UNKNOWN = Integer.MAX_VALUE;
    }

    /**
     * A member named later in the list wants to lead {@code key}: {@code term}, which this member leads, should end.
     * Said once a term.
     */
    record AskedToLeave(RecordKey key, long term) implements OrderAction {}
}
