package dev.mandate.peers.order;

import dev.mandate.spi.Stance;
import java.util.List;

/** The order of {@code peers://}: none. Every member gets place 0 at once, and nobody sends a message. */
public final class Race implements Order {
    @Override
    public List<OrderAction> step(OrderEvent event, long nowNanos) {
        return event instanceof OrderEvent.StanceChanged changed && changed.stance() == Stance.Seeking.INSTANCE
                ? List.of(new OrderAction.Placed(changed.key(), 0))
                : List.of();
    }

    @Override
    public long wakeAtNanos() {
        return Long.MAX_VALUE;
    }
}
