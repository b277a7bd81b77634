package dev.mandate.peers.store;

import dev.mandate.testkit.Direction;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@link FaultProxy} on each way that one member dials another. Needs Linux, where all of 127.0.0.0/8 is this
 * machine, and no rights.
 */
final class ProxiedLinks implements Links {
    private final List<String> members = new ArrayList<>();
    private final List<Integer> ports;
    private final List<Integer> bound;
    private final Map<String, FaultProxy> proxies = new HashMap<>();
    private final Map<Integer, String> homes = new HashMap<>();
    private final HostsFiles hosts;

    ProxiedLinks(Path folder, int members) throws IOException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 2 * members; i++) {
            names.add("p" + i);
        }
        List<Integer> chosen = List.copyOf(ServerPorts.choose(names).values());
        this.ports = chosen.subList(0, members);
        this.bound = chosen.subList(members, 2 * members);
        this.hosts = new HostsFiles(
                folder, members, (from, to) -> from == to ? "127.0.0.1" : homes.getOrDefault(to, address(from, to)));
        for (int from = 0; from < members; from++) {
            this.members.add(HostsFiles.name(from) + ":" + ports.get(from));
            for (int to = 0; to < members; to++) {
                if (from != to) {
                    InetAddress address = InetAddress.getByName(address(from, to));
                    InetSocketAddress listen = new InetSocketAddress(address, ports.get(to));
                    proxies.put(from + ">" + to, FaultProxy.at(listen, "127.0.0.1", bound.get(to)));
                }
            }
        }
        hosts.write();
    }

    private static String address(int from, int to) {
        return "127.77." + (from + 1) + "." + (to + 1);
    }

    private FaultProxy proxy(int from, int to) {
        return proxies.get(from + ">" + to);
    }

    @Override
    public List<String> members() {
        return members;
    }

    @Override
    public String bind(int place) {
        return "127.0.0.1:" + bound.get(place);
    }

    @Override
    public Path hosts(int place) {
        return hosts.of(place);
    }

    @Override
    public List<String> launcher(int place) {
        return List.of();
    }

    @Override
    public void cut(int one, int other) {
        proxy(one, other).blackHole();
        proxy(other, one).blackHole();
    }

    @Override
    public void cutOneWay(int from, int to) {
        proxy(from, to).blackHole(Direction.TO_SERVER);
        proxy(to, from).blackHole(Direction.TO_CLIENT);
    }

    /** What each connection has still to carry ends somewhere within the next bytes. */
    void cutAfter(int bytes) {
        proxies.values().forEach(proxy -> proxy.cutAfter(Direction.TO_SERVER, bytes));
    }

    @Override
    public void move(int place) throws IOException {
        String address = "127.78.0." + (place + 1);
        homes.put(place, address);
        InetSocketAddress listen = new InetSocketAddress(InetAddress.getByName(address), ports.get(place));
        proxies.put("moved" + place, FaultProxy.at(listen, "127.0.0.1", bound.get(place)));
        hosts.write();
        for (int from = 0; from < ports.size(); from++) {
            if (from != place) {
                proxy(from, place).refuse();
                proxy(from, place).reset();
            }
        }
    }

    @Override
    public void pass() throws IOException {
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

    @Override
    public String toString() {
        return "a proxy on each link";
    }
}
