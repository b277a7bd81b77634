package dev.mandate.testkit.history;

import dev.mandate.testkit.FaultProxy;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * How the processes of one candidate of a {@link Trial} are started, one after the other, and its network.
 *
 * @param name of the candidate, one word
 * @param urls gives the URL of the store for each start
 * @param launcher the command that starts its processes, in another network for instance; empty for none
 * @param environment added to the environment of its processes; if it and {@code launcher} are empty, a process may
 *     come from an earlier trial
 * @param network what is between it and the others
 */
public record TrialSeat(
        String name, Supplier<String> urls, List<String> launcher, Map<String, String> environment, Network network) {
    /** Copies the collections. */
    public TrialSeat {
        launcher = List.copyOf(launcher);
        environment = Map.copyOf(environment);
    }

    /** What a trial does to a network in the end. */
    public interface Network {
        /** Ends all faults. */
        void pass() throws IOException;

        /** Lets nothing through any more. */
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
