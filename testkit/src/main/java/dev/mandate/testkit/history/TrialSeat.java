package dev.mandate.testkit.history;

import dev.mandate.testkit.FaultProxy;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Where a candidate of a {@link Trial} sits: how its processes are started, one after the other, and its network.
 *
 * @param name of the candidate, one word
 * @param urls gives the URL of the store for each start
 * @param launcher the command that starts its processes, in another network for instance; empty for none
 * @param environment what its processes need in theirs; where it and {@code launcher} are empty, one may have been in another trial before
 * @param network what is between it and the others
 */
public record TrialSeat(
        String name, Supplier<String> urls, List<String> launcher, Map<String, String> environment, Network network) {
    /** Copies. */
    public TrialSeat {
        launcher = List.copyOf(launcher);
        environment = Map.copyOf(environment);
    }

    /** What a trial does to a network in the end. */
    public interface Network {
        /** Ends all faults. */
        void pass() throws IOException;

        /** Nothing goes through any more. */
        void close() throws IOException;
    }

    /** A proxy to a server. */
    record Proxied(FaultProxy proxy) implements Network {
        @Override
        public void pass() throws IOException {
            proxy.pass();
        }

        @Override
        public void close() throws IOException {
            proxy.close();
        }
    }

    String url() {
        return urls.get();
    }
}
