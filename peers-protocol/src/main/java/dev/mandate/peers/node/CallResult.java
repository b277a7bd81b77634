package dev.mandate.peers.node;

import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Outcome;
import dev.mandate.spi.Observation;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How a {@link Call} ended. */
public sealed interface CallResult {

    /** A read or a write ended, or the outcome of the call is unknown. */
    record Ended(Outcome outcome) implements CallResult {}

    /**
     * A page of a listing: for each key, what a majority accepted.
     *
     * @param items in the order of paths
     * @param after the path after which the next page starts; null if this was the last
     */
    record Listed(List<Observation> items, @Nullable String after) implements CallResult {
        public Listed {
            items = List.copyOf(items);
        }
    }

    /** The status of the voters, by their places. */
    record Asked(Map<Integer, Message.Status> voters) implements CallResult {
        public Asked {
            voters = Map.copyOf(voters);
        }
    }

    /**
     * Nothing was tried: members disagree about their group.
     *
     * @param sentence what differs and what to do
     */
    record Disagreed(String sentence) implements CallResult {}
}
