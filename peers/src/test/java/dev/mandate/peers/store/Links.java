package dev.mandate.peers.store;

import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.history.TrialSeat;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The links of a group whose members are processes of their own: a {@link FaultProxy} on each way that one dials
 * another. Every process has a file of hosts of its own, in which the names of the others lead to its proxies; so it
 * needs Linux, where all of 127.0.0.0/8 is this machine.
 */
final class Links implements AutoCloseable {
    private final Path folder;
    private final List<Integer> ports;
    private final List<Integer> bound;
    private final Map<String, FaultProxy> proxies = new HashMap<>();
    private final Map<Integer, String> homes = new HashMap<>();

    /**
     * Links between so many members.
     *
     * @param ports that the list names, one for each member
     * @param bound where members really listen
     */
    Links(Path folder, List<Integer> ports, List<Integer> bound) throws IOException {
        this.folder = folder;
        this.ports = ports;
        this.bound = bound;
        for (int from = 0; from < ports.size(); from++) {
            for (int to = 0; to < ports.size(); to++) {
                if (from != to) {
                    InetAddress address = InetAddress.getByName(address(from, to));
                    InetSocketAddress listen = new InetSocketAddress(address, ports.get(to));
                    proxies.put(from + ">" + to, FaultProxy.at(listen, "127.0.0.1", bound.get(to)));
                }
            }
            writeHosts(from);
        }
    }

    private static String address(int from, int to) {
        return "127.77." + (from + 1) + "." + (to + 1);
    }

    /** The name of a member in the list. */
    String member(int place) {
        return "m" + place + ":" + ports.get(place);
    }

    Path hosts(int place) {
        return folder.resolve("hosts" + place);
    }

    private void writeHosts(int from) throws IOException {
        List<String> lines = new ArrayList<>();
        for (int to = 0; to < ports.size(); to++) {
            String address = from == to ? "127.0.0.1" : homes.getOrDefault(to, address(from, to));
            lines.add(address + " m" + to);
        }
        // Replaced at once: a JVM may be reading it.
        Path fresh = folder.resolve("hosts" + from + ".new");
        Files.write(fresh, lines, StandardCharsets.US_ASCII);
        Files.move(fresh, hosts(from), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private FaultProxy proxy(int from, int to) {
        return proxies.get(from + ">" + to);
    }

    /** Nothing goes through between these two. */
    void cut(int one, int other) {
        proxy(one, other).blackHole();
        proxy(other, one).blackHole();
    }

    /** What {@code from} sends to {@code to} is lost, by whichever connection; the other way is open. */
    void cutOneWay(int from, int to) {
        proxy(from, to).blackHole(FaultProxy.Direction.TO_SERVER);
        proxy(to, from).blackHole(FaultProxy.Direction.TO_CLIENT);
    }

    /** Members within {@code side} reach each other, and nobody else; the same for the others. */
    void split(Set<Integer> side) {
        for (int one = 0; one < ports.size(); one++) {
            for (int other = 0; other < one; other++) {
                if (side.contains(one) != side.contains(other)) {
                    cut(one, other);
                }
            }
        }
    }

    /** All connections end, and new ones are made. */
    void reset() {
        proxies.values().forEach(FaultProxy::reset);
    }

    /** What each connection has still to carry ends somewhere within the next bytes. */
    void cutAfter(int bytes) {
        proxies.values().forEach(proxy -> proxy.cutAfter(FaultProxy.Direction.TO_SERVER, bytes));
    }

    /**
     * The name of a member leads to another address from now on, and connections to the old one end.
     *
     * @param address of this machine, where it is reached at the port that the list names
     */
    void move(int place, String address) throws IOException {
        homes.put(place, address);
        InetSocketAddress listen = new InetSocketAddress(InetAddress.getByName(address), ports.get(place));
        proxies.put("moved" + place, FaultProxy.at(listen, "127.0.0.1", bound.get(place)));
        for (int from = 0; from < ports.size(); from++) {
            writeHosts(from);
            if (from != place) {
                proxy(from, place).refuse();
                proxy(from, place).reset();
            }
        }
    }

    void pass() throws IOException {
        for (Map.Entry<String, FaultProxy> each : proxies.entrySet()) {
            boolean isLeft =
                    homes.keySet().stream().anyMatch(place -> each.getKey().endsWith(">" + place));
            if (!isLeft) {
                each.getValue().pass();
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (FaultProxy proxy : proxies.values()) {
            proxy.close();
        }
    }

    /** As the network of one seat: healing one heals all. */
    TrialSeat.Network network() {
        return new TrialSeat.Network() {
            @Override
            public void pass() throws IOException {
                Links.this.pass();
            }

            @Override
            public void close() throws IOException {
                Links.this.close();
            }
        };
    }
}
