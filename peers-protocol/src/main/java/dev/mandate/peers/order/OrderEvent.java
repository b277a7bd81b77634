package dev.mandate.peers.order;

import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;

/** What can happen to an {@link Order}. No event may throw. Members are numbered from 0, in the order of the list. */
public sealed interface OrderEvent {

    /** Time has passed: sent at {@link Order#wakeAtNanos()}. */
    enum Tick implements OrderEvent {
        INSTANCE
    }

    /** This member's stance towards {@code key} from now on. Repeating one only reports a known place again. */
    record StanceChanged(RecordKey key, Stance stance) implements OrderEvent {}

    /** {@code message} came from member {@code from}; late, repeated and senseless ones are dropped. */
    record Received(int from, OrderMessage message) implements OrderEvent {}

    /**
     * The link to member {@code peer} is up, or is down: refused or lost. Until the first such event a peer is asked
     * and awaited as if its link were up. A hint, not a proof.
     */
    record Link(int peer, boolean up) implements OrderEvent {}

    /** Whether this member's voter votes; at first it does not. Until it does, it can't take the lead it asks for. */
    record Votes(boolean votes) implements OrderEvent {}
}
