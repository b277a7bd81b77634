package dev.mandate.peers.transport;

import dev.mandate.StoreSetupException;
import dev.mandate.support.StoreThreads;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries opaque payloads between this process and the others of its group. One daemon thread does all of it; a few
 * short-lived ones look up names, read the secret's file and write to the log.
 *
 * <p><strong>Who dials:</strong> every process dials each member to which it has no connection, and members accept; a
 * guest only dials. A connection serves both directions, whoever dialled. If two members dialled each other at the same
 * moment, both connections stay, and both sides come to use one of them. Names are resolved at each dial, as far as the
 * JVM does not cache them ({@code networkaddress.cache.ttl} and {@code networkaddress.cache.negative.ttl}).
 *
 * <p><strong>What is promised:</strong> see the package. A payload may be lost at any time: queues are bounded, and
 * payloads that wait when a connection ends are dropped, because they would be outdated on the next one.
 *
 * <p>Safe for use from many threads.
 */
public final class Transport implements AutoCloseable {
    /** The longest payload, in bytes. */
    public static final int PAYLOAD_MAX = 1 << 20;

    private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

    private final SelectorLoop loop;
    private final Network network;
    private final Lookups lookups;
    private final LinkLog log;

    private Transport(SelectorLoop loop, Network network, Lookups lookups, LinkLog log) {
        this.loop = loop;
        this.network = network;
        this.lookups = lookups;
        this.log = log;
    }

    /**
     * Listens, if this process is a member, and dials all other members. Blocks while its own name is resolved.
     *
     * @param listener is called from now on
     * @throws StoreSetupException if the address can't be listened on, or is reached by other machines without a secret
     * @throws dev.mandate.StoreUnavailableException if its own name can't be resolved
     */
    public static Transport open(TransportSettings settings, TransportListener listener) {
        return open(settings, listener, InetAddress::getAllByName, System.getLogger("dev.mandate.peers"));
    }

    /** The same with another way to resolve names, and another log. */
    static Transport open(
            TransportSettings settings, TransportListener listener, Lookups.Resolver resolver, System.Logger logger) {
        PeerAddress own = settings.bind() == null ? settings.self() : settings.bind();
        ServerSocketChannel socket = own == null ? null : Listening.bind(own, resolver, settings.secret() != null);
        String name = "mandate-peers-" + (own == null ? "guest" : own.toString());
        Opening opening = new Opening();
        SelectorLoop loop = null;
        try {
            loop = new SelectorLoop(name, opening::flush, opening::end);
            LoopResources resources =
                    new LoopResources(loop, settings.pace(), settings.limits().partialBytes());
            Lookups lookups = new Lookups(
                    resolver, settings.secret(), loop::execute, work -> StoreThreads.daemon(name + "-lookup", work));
            LinkLog log = new LinkLog(logger, name + "-log");
            Network network = new Network(settings, listener, resources, lookups, log);
            opening.network = network;
            if (socket != null) {
                network.listensBy(Listening.on(socket, resources, network::accepted, network::cannotAccept));
            }
            loop.execute(network::begin);
            loop.start();
            return new Transport(loop, network, lookups, log);
        } catch (IOException e) {
            discard(socket, loop);
            throw new StoreSetupException(
                    "cannot open a selector: " + e.getMessage() + "; allow more file descriptors (ulimit -n)", e);
        } catch (RuntimeException | Error e) {
            // For instance, no thread could be started.
            discard(socket, loop);
            throw e;
        }
    }

    /** Breaks a cycle: the loop needs the network, which needs the loop. */
    private static final class Opening {
        private volatile @Nullable Network network;

        private void flush() {
            Network there = network;
            if (there != null) {
                there.flush();
            }
        }

        private void end() {
            Network there = network;
            if (there != null) {
                there.end();
            }
        }
    }

    private static void discard(@Nullable ServerSocketChannel socket, @Nullable SelectorLoop loop) {
        if (loop != null) {
            loop.discard();
        }
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // The caller reports a worse failure.
        }
    }

    /**
     * Sends a payload, soon or not at all. Never blocks; any thread.
     *
     * @param peer {@link Peer#id} of a member or of a connected guest
     * @param payload at most {@link #PAYLOAD_MAX} bytes; must not change any more
     * @return false if it was dropped at once: no connection, or the queue is full. True does not mean that it arrives
     * @throws IllegalArgumentException if it is too long
     */
    public boolean send(String peer, byte[] payload) {
        return send(peer, payload, () -> true);
    }

    /**
     * The same for a payload that must not leave late.
     *
     * @param mayLeave asked on the transport's thread just before the payload is signed; false drops it. Must not
     *     block. After that the payload is under way: on its way to a slow reader it may wait here (one frame, or 64
     *     KiB of them) and in the kernel (256 KiB, on Linux twice as much)
     */
    public boolean send(String peer, byte[] payload, BooleanSupplier mayLeave) {
        if (payload.length > PAYLOAD_MAX) {
            throw new IllegalArgumentException(
                    "a payload has " + payload.length + " bytes; it must have at most " + PAYLOAD_MAX);
        }
        return network.send(peer, payload, mayLeave);
    }

    /** Makes its thread call {@link TransportListener#turned} soon. Never blocks; any thread. */
    public void wake() {
        loop.wake();
    }

    /** The status of each link: members in the order of the list, then connected guests. Any thread; does not block. */
    public List<LinkStatus> status() {
        return network.status();
    }

    /** How many connections were closed before they had proved that they know the secret. Any thread. */
    public long strangers() {
        return network.rejected();
    }

    /** How often the thread woke up: an idle transport sleeps. Any thread. */
    public long turns() {
        return loop.turns();
    }

    /**
     * Closes all connections. The listener hears that they ended, and then nothing more. Waits for that, two seconds at
     * most; called by the listener, it does not wait. Idempotent.
     */
    @Override
    public void close() {
        lookups.close();
        loop.stop(CLOSE_MAX);
        log.close();
    }
}
