package dev.mandate;

import java.util.List;

/**
 * The candidates that wait for an election with {@link Order#ARRIVAL}; see {@link Election#queue()}. Created by a
 * {@link QueuesWatch}; later versions may add members, which changes the constructor.
 *
 * @param election the election's name
 * @param waiting the candidates, the next to try first
 */
public record ElectionQueue(String election, List<Queued> waiting) {
    public ElectionQueue {
        waiting = List.copyOf(waiting);
    }
}
