package dev.mandate;

import java.util.List;

/**
 * The candidates that wait for an election by {@link Order#ARRIVAL}; see {@link Election#queue()}. Comes from a {@link
 * QueuesWatch}: members may be added, which changes the constructor.
 *
 * @param election the election's name
 * @param waiting the candidate that tries next in front
 */
public record ElectionQueue(String election, List<Queued> waiting) {
    public ElectionQueue {
        waiting = List.copyOf(waiting);
    }
}
