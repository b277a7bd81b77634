package dev.mandate.peers.node;

import dev.mandate.peers.order.OrderMessage;
import dev.mandate.peers.register.DurableState;
import dev.mandate.peers.register.Message;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;

/** What a {@link Node} wants done. */
public sealed interface NodeAction {

    /**
     * Send a message.
     *
     * @param to the place of a member, or what {@link NodeEvent.Received} gave for a guest
     * @param untilNanos on the clock that counts suspensions: from then on it must not leave; {@link Long#MAX_VALUE}
     *     for no limit
     */
    record Send(long to, Message message, long untilNanos) implements NodeAction {}

    /** Send a message about who tries first. */
    record SendTurn(int to, OrderMessage message) implements NodeAction {}

    /** Like {@link dev.mandate.peers.register.VoterAction.Persist}. */
    record Persist(long sequence, DurableState state) implements NodeAction {}

    /** A call ended; reported once for each. */
    record Ended(long id, CallResult result) implements NodeAction {}

    /**
     * A hint for clients that watch: what a majority showed at a key, or what this node's voter has just accepted
     * there: a vacancy, or a further write of a known term.
     */
    record Changed(Observation observation) implements NodeAction {}

    /** The place of this node's clients for the vacancy of {@code key}. */
    record Placed(RecordKey key, int place) implements NodeAction {}

    /** A member that comes first would like {@code term} to end. */
    record AskedToLeave(RecordKey key, long term) implements NodeAction {}
}
