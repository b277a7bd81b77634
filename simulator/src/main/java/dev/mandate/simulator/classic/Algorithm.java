package dev.mandate.simulator.classic;

import dev.mandate.peers.order.Bully;
import dev.mandate.peers.order.Order;
import dev.mandate.peers.order.OrderTiming;
import dev.mandate.peers.order.Ring;
import java.util.Locale;
import java.util.SplittableRandom;

/** A classic election algorithm. */
public enum Algorithm {
    /**
     * The highest node that answers leads. After Garcia-Molina, 1982, but as most textbooks have it; his own version
     * first stops all lower nodes and only then announces the leader.
     */
    BULLY,
    /**
     * A token collects the living nodes, and the highest of them leads. After Silberschatz, Galvin and Gagne, with
     * tokens that drop each other as in Chang and Roberts, 1979.
     */
    RING;

    /** The name on the command line: {@code bully}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads {@link #text()}.
     *
     * @throws IllegalArgumentException that names all algorithms
     */
    public static Algorithm parse(String text) {
        for (Algorithm algorithm : values()) {
            if (algorithm.text().equals(text)) {
                return algorithm;
            }
        }
        throw new IllegalArgumentException("algorithm '" + text + "' is unknown; there are bully and ring");
    }

    Order order(int self, int nodes, OrderTiming timing, SplittableRandom random) {
        return this == BULLY
                ? new Bully(self, nodes, timing, random::nextLong, false)
                : new Ring(self, nodes, timing, random::nextLong);
    }
}
