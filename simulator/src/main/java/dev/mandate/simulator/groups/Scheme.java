package dev.mandate.simulator.groups;

import dev.mandate.engine.Entropy;
import dev.mandate.peers.order.Bully;
import dev.mandate.peers.order.Order;
import dev.mandate.peers.order.OrderTiming;
import dev.mandate.peers.order.Race;
import dev.mandate.peers.order.Ring;

/** Who tries first. */
enum Scheme {
    RACE,
    BULLY,
    /** The first in order asks the leader to leave. */
    PREEMPTING_BULLY,
    RING;

    /** Whether candidates wait for a turn. */
    boolean isOrdered() {
        return this != RACE;
    }

    /** The order of member {@code self}. */
    Order order(int self, int members, OrderTiming timing, Entropy entropy) {
        return switch (this) {
            case RACE -> new Race();
            case BULLY -> new Bully(self, members, timing, entropy, false);
            case PREEMPTING_BULLY -> new Bully(self, members, timing, entropy, true);
            case RING -> new Ring(self, members, timing, entropy);
        };
    }
}
