package dev.mandate.peers.classic;

import dev.mandate.peers.order.Bully;
import dev.mandate.peers.order.Order;
import dev.mandate.peers.order.OrderTiming;
import dev.mandate.peers.order.Ring;
import java.util.SplittableRandom;

/** Which textbook. */
enum Algorithm {
    BULLY,
    RING;

    Order order(int self, int members, OrderTiming timing, SplittableRandom random) {
        return this == BULLY
                ? new Bully(self, members, timing, random::nextLong, false)
                : new Ring(self, members, timing, random::nextLong);
    }
}
