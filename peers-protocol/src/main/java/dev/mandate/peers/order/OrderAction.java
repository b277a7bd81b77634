package dev.mandate.peers.order;

import dev.mandate.spi.RecordKey;

/** What an {@link Order} wants done. */
public sealed interface OrderAction {

    /** Send {@code message} to member {@code to}, if possible soon; messages to one member may share a frame. */
    record Send(int to, OrderMessage message) implements OrderAction {}

    /**
     * This member's place for the vacancy of {@code key}: how many that campaign come before it. Replaces an earlier
     * place for the same vacancy.
     *
     * @param place 0 or more; {@link #UNKNOWN} for last
     */
    record Placed(RecordKey key, int place) implements OrderAction {
        /** The order was not determined: last. */
        public static final int UNKNOWN = Integer.MAX_VALUE;
    }

    /** A member named later wants to lead {@code key}: this member's {@code term} should end. Reported once a term. */
    record AskedToLeave(RecordKey key, long term) implements OrderAction {}
}
