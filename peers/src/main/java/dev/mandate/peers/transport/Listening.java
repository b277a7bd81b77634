package dev.mandate.peers.transport;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The socket that a member listens on. */
final class Listening implements SelectorLoop.Ready {
    /** If this is full, the other side's kernel retries a connection only a second later. */
    private static final int BACKLOG = 1_024;

    /** How many connections to accept before existing ones have their turn. */
    private static final int TURN = 64;

    /** Without file descriptors, trying again at once would only waste processor time. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ServerSocketChannel channel;
    private final LoopResources resources;
    private final Consumer<SocketChannel> accepted;
    private final Consumer<String> trouble;
    private final SelectionKey key;
    private final Timers.Timer again;

    private Listening(
            ServerSocketChannel channel,
            LoopResources resources,
            Consumer<SocketChannel> accepted,
            Consumer<String> trouble)
            throws IOException {
        this.channel = channel;
        this.resources = resources;
        this.accepted = accepted;
        this.trouble = trouble;
        this.key = resources.loop().register(channel, SelectionKey.OP_ACCEPT, this);
        this.again = resources.loop().timers().timer(this::resume);
    }

    /**
     * Binds a socket. Blocks while its name is resolved.
     *
     * @param hasSecret whether it may listen to other machines
     * @throws StoreUnavailableException if the name can't be resolved
     * @throws StoreSetupException if the address can't be listened on, or not without a secret
     */
    static ServerSocketChannel bind(PeerAddress address, Lookups.Resolver resolver, boolean hasSecret) {
        InetAddress host;
        try {
            host = resolver.resolve(address.host())[0];
        } catch (UnknownHostException e) {
            throw new StoreUnavailableException(
                    "the name of this member, " + address.host()
                            + ", can't be resolved; make it known, or give bind=ADDRESS:" + address.port(),
                    e);
        }
        if (!hasSecret && !host.isLoopbackAddress()) {
            throw new StoreSetupException(address + " is " + host.getHostAddress()
                    + ", which other machines reach, and there is no secret; give all processes of the group the same"
                    + " secretFile, or listen on 127.0.0.1");
        }
        try {
            ServerSocketChannel channel = ServerSocketChannel.open();
            try {
                return channel.bind(new InetSocketAddress(host, address.port()), BACKLOG);
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw new StoreSetupException(
                    "this member can't listen on " + address + " (" + host.getHostAddress() + "): " + e.getMessage()
                            + "; if this member runs already, leave out self and state to be a guest, else stop what else uses"
                            + " it, or give bind=ADDRESS:PORT",
                    e);
        }
    }

    /**
     * Begins to accept.
     *
     * @param accepted takes each connection
     * @param trouble is told why none can be accepted
     */
    static Listening on(
            ServerSocketChannel channel,
            LoopResources resources,
            Consumer<SocketChannel> accepted,
            Consumer<String> trouble)
            throws IOException {
        return new Listening(channel, resources, accepted, trouble);
    }

    @Override
    public void ready(SelectionKey ready) throws IOException {
        for (int i = 0; i < TURN; i++) {
            SocketChannel one = channel.accept();
            if (one == null) {
                return;
            }
            try {
                resources.tune(one);
                accepted.accept(one);
            } catch (IOException e) {
                // It has closed already.
                one.close();
            } catch (RuntimeException | Error e) {
                // Nobody would serve it. If its timer is set already, closing it twice does no harm.
                one.close();
                throw e;
            }
        }
    }

    @Override
    public void failed(Throwable cause) {
        trouble.accept("cannot accept connections: " + cause.getMessage()
                + "; if there are too few file descriptors, allow more (ulimit -n)");
        if (key.isValid()) {
            key.interestOps(0);
            again.at(System.nanoTime() + PAUSE_NANOS);
        }
    }

    private void resume() {
        if (key.isValid()) {
            key.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    @Override
    public boolean isKnown() {
        return false;
    }

    void close() {
        again.cancel();
        try {
            channel.close();
        } catch (IOException e) {
            // It stops listening anyway.
        }
    }
}
