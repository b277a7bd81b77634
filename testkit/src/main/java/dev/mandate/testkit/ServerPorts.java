package dev.mandate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Finds ports that nothing listens on. They lie below the range that systems use for outgoing connections, so none of
 * these takes the port of a server that is down. Nor does another test: a JVM reserves whole blocks of ports, each
 * locked by a file until the JVM ends, and reuses a port only after all others. Safe for use from many threads.
 */
public final class ServerPorts {
    private static final int LOWEST = 12_000;
    private static final int BELOW = 32_000;
    private static final int BLOCK = 100;
    private static final int TRIES_MAX = 1_000;
    private static final Path LOCKS =
            Path.of(System.getProperty("java.io.tmpdir"), "mandate-ports-" + System.getProperty("user.name"));

    /** The first ports of this JVM's blocks. */
    private static final List<Integer> BLOCKS = new ArrayList<>();

    private static final List<FileLock> HELD = new ArrayList<>();
    private static int given;

    private ServerPorts() {}

    /**
     * Chooses a free port for each name. Another program may take one before it is used: then choose again.
     *
     * @throws AssertionError if too few are free
     */
    public static Map<String, Integer> choose(List<String> names) {
        Map<String, Integer> ports = new LinkedHashMap<>();
        for (int tries = 0; ports.size() < names.size(); tries++) {
            if (tries == TRIES_MAX) {
                throw new AssertionError("no " + names.size() + " free ports from " + LOWEST + " to " + (BELOW - 1)
                        + " in " + TRIES_MAX + " tries");
            }
            int port = next();
            if (!ports.containsValue(port) && isFree(port)) {
                ports.put(names.get(ports.size()), port);
            }
        }
        return ports;
    }

    private static synchronized int next() {
        if (given == BLOCKS.size() * BLOCK && !takesBlock()) {
            if (BLOCKS.isEmpty()) {
                throw new AssertionError("all ports from " + LOWEST + " to " + (BELOW - 1)
                        + " are taken by other tests; see the locks in " + LOCKS);
            }
            given = 0;
        }
        int port = BLOCKS.get(given / BLOCK) + given % BLOCK;
        given++;
        return port;
    }

    /** Tries all blocks from a random one on; false if none is left. */
    private static boolean takesBlock() {
        int blocks = (BELOW - LOWEST) / BLOCK;
        int start = new SplittableRandom().nextInt(blocks);
        try {
            Files.createDirectories(LOCKS);
            for (int i = 0; i < blocks; i++) {
                int first = LOWEST + (start + i) % blocks * BLOCK;
                if (!BLOCKS.contains(first) && locks(first)) {
                    BLOCKS.add(first);
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("can't lock ports in " + LOCKS, e);
        }
    }

    private static boolean locks(int first) throws IOException {
        FileChannel channel = FileChannel.open(
                LOCKS.resolve(Integer.toString(first)), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock();
        if (lock == null) {
            channel.close();
            return false;
        }
        HELD.add(lock);
        return true;
    }

    /**
     * Binds, but does not listen: a process that another thread starts meanwhile briefly holds a copy of each open
     * socket, and a copy of a listening one would keep the port's next owner out.
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
