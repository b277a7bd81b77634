package dev.mandate.testkit;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Ports that nothing listens on. They lie below the range from which systems take ports for outgoing connections, so that none of these
 * grabs the port of a server that is down.
 */
public final class ServerPorts {
    private static final int LOWEST = 12_000;
    private static final int BELOW = 32_000;
    private static final int TRIES_MAX = 1_000;

    private ServerPorts() {}

    /**
     * A free port for each name. Another program may take one before it is used: then choose again.
     *
     * @throws AssertionError if too few are free
     */
    public static Map<String, Integer> choose(List<String> names) {
        SplittableRandom random = new SplittableRandom();
        Map<String, Integer> ports = new LinkedHashMap<>();
        for (int tries = 0; ports.size() < names.size(); tries++) {
            if (tries == TRIES_MAX) {
                throw new AssertionError("no " + names.size() + " free ports from " + LOWEST + " to " + (BELOW - 1)
                        + " in " + TRIES_MAX + " tries");
            }
            int port = random.nextInt(LOWEST, BELOW);
            if (!ports.containsValue(port) && isFree(port)) {
                ports.put(names.get(ports.size()), port);
            }
        }
        return ports;
    }

    /**
     * Binds, and does not listen: a process that another thread starts meanwhile holds a copy of each open socket for an instant, and the
     * copy of a listening one would keep the port's next owner out.
     */
    static boolean isFree(int port) {
        try (Socket stream = new Socket();
                DatagramSocket datagrams = new DatagramSocket(port)) {
            stream.setReuseAddress(true);
            stream.bind(new InetSocketAddress(port));
            return stream.isBound() && datagrams.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
