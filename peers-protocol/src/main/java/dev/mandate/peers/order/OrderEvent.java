package dev.mandate.peers.order;

import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;

/** What can happen to an {@link Order}. None of them may throw. Members are numbered from 0, as the list names them. */
public sealed interface OrderEvent {

    /** Time has passed: sent at {@link Order#wakeAtNanos()}. */
    enum Tick implements OrderEvent {
        INSTANCE
    }

    /** This member stands towards {@code key} like this from now on. Telling what is known already changes nothing,
     * but a place that is known is told again. */
    record Stands(RecordKey key, Stance stance) implements OrderEvent {}

    /** {@code message} came from member {@code from}; late, repeated and senseless ones are dropped. */
    record Received(int from, OrderMessage message) implements OrderEvent {}

    /**
     * The link to member {@code peer} is up, or is down: refused or lost. A peer of which nothing was said yet is asked
     * and waited for, as if its link were up. A hint, not a proof.
     */
    record Link(int peer, boolean up) implements OrderEvent {}

    /** Whether the voter of this member votes; at first it does not. Who asks for the lead before could not take it. */
    record Votes(boolean votes) implements OrderEvent {}
}
