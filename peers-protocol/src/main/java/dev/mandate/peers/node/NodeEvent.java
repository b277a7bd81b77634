package dev.mandate.peers.node;

import dev.mandate.peers.order.OrderMessage;
import dev.mandate.peers.register.Message;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;

/** What happens to a {@link Node}. */
public sealed interface NodeEvent {

    /**
     * A client makes a call.
     *
     * @param id comes back with the result; unique among the calls under way
     * @param deadlineNanos on the clock that counts suspensions; nothing is sent from then on
     */
    record Begin(long id, Call call, long deadlineNanos) implements NodeEvent {}

    /**
     * A message came.
     *
     * @param from the place of a member, or a number for a guest, {@link Node#GUESTS_FROM} or more
     */
    record Received(long from, Message message) implements NodeEvent {}

    /** A message about who tries first came from a member. */
    record ReceivedTurn(int from, OrderMessage message) implements NodeEvent {}

    /** The link to a member is up or down. */
    record Link(int member, boolean up) implements NodeEvent {}

    /** The stance of this node's clients towards {@code key} from now on. */
    record StanceChanged(RecordKey key, Stance stance) implements NodeEvent {}

    /** Whether a client watches; at first none does. */
    record Watched(boolean watched) implements NodeEvent {}

    /** The state of the {@link NodeAction.Persist} with this sequence, and all before it, is on the disk. */
    record Persisted(long sequence) implements NodeEvent {}

    /** Writing that state failed; it may be on the disk all the same. */
    record PersistFailed(long sequence) implements NodeEvent {}

    /**
     * Members disagree about their group, or two processes are one member.
     *
     * @param sentence what differs, with both values, and what to do
     */
    record Disagreed(String sentence) implements NodeEvent {}

    /** Time passed. */
    record Tick() implements NodeEvent {}
}
