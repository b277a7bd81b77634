package dev.mandate.peers.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Dials one member while there is no connection to it: looks its name up, connects, and pauses after each failure. Used
 * only on the loop's thread.
 */
final class Dialler {
    /** Makes a connection that is not open yet. */
    interface Connections {
        /** A connection that dials {@code member} with this secret. */
        Connection dialling(SocketChannel channel, PeerAddress member, byte[] secret);
    }

    private final PeerAddress member;
    private final Link link;
    private final Lookups lookups;
    private final Connections connections;
    private final boolean isLoopbackOnly;
    private final DoubleSupplier random;
    private final long steadyNanos;
    private final long slowNanos;
    private final Backoff backoff;
    private final Timers.Timer again;
    private final Timers.Timer slow;

    private boolean isLookingUp;
    private @Nullable Connection trying;
    private int tries;
    private int rejections;
    private boolean isEnded;

    Dialler(
            PeerAddress member,
            Link link,
            Lookups lookups,
            LoopResources resources,
            boolean isLoopbackOnly,
            DoubleSupplier random,
            Connections connections) {
        this.member = member;
        this.link = link;
        this.lookups = lookups;
        this.connections = connections;
        this.isLoopbackOnly = isLoopbackOnly;
        this.random = random;
        LinkPace pace = resources.pace();
        this.steadyNanos = pace.backoffMax().toNanos();
        this.backoff = new Backoff(pace.backoffMin().toNanos(), steadyNanos);
        this.again = resources.loop().timers().timer(this::dial);
        this.slow = resources
                .loop()
                .timers()
                .timer(() -> link.trouble("looking up " + member.host() + " takes longer than "
                        + pace.connect().toMillis() + " ms"));
        this.slowNanos = pace.connect().toNanos();
    }

    PeerAddress member() {
        return member;
    }

    /** How long there has been no connection. */
    long downNanos() {
        return link.isUp() ? 0 : link.since().toNanos();
    }

    boolean isTrying(Connection connection) {
        return trying == connection;
    }

    /** Dials, unless a connection exists or is being made. */
    void dial() {
        if (isEnded || isLookingUp || trying != null || link.isUp()) {
            return;
        }
        isLookingUp = true;
        try {
            slow.at(System.nanoTime() + slowNanos);
            lookups.lookUp(member, this::found);
        } catch (RuntimeException | Error e) {
            isLookingUp = false;
            slow.cancel();
            pause();
            link.trouble("cannot look up " + member.host() + ": " + e);
        }
    }

    private void found(Lookups.Found found) {
        isLookingUp = false;
        slow.cancel();
        if (isEnded || link.isUp()) {
            return;
        }
        String trouble = found.trouble();
        if (trouble != null) {
            failed(trouble);
            return;
        }
        List<InetSocketAddress> addresses = found.addresses();
        InetSocketAddress address = addresses.get(Math.floorMod(tries++, addresses.size()));
        if (isLoopbackOnly && !address.getAddress().isLoopbackAddress()) {
            failed(member + " is " + address.getAddress().getHostAddress() + ", which is not this machine, and there is"
                    + " no secret; give all processes of the group the same secretFile");
            return;
        }
        byte[] secret =
                found.secrets().get(Math.floorMod(rejections, found.secrets().size()));
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open();
            Connection made = connections.dialling(channel, member, secret);
            trying = made;
            made.open(address);
        } catch (IOException | RuntimeException | Error e) {
            closeQuietly(channel);
            failed("cannot open a socket: " + e.getMessage());
        }
    }

    private static void closeQuietly(@Nullable SocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // Nothing was sent through it.
        }
    }

    /** The connection being made now belongs to the link. */
    void established() {
        trying = null;
    }

    /** The other side rejected the secret: the next dial uses the other one if two are given. */
    void rejected() {
        rejections++;
    }

    /** The dial failed. */
    void failed(String reason) {
        trying = null;
        // First: whatever comes after it, another dial follows.
        pause();
        link.trouble(reason);
    }

    /** The link is down. */
    void lost(long upNanos) {
        if (upNanos >= steadyNanos) {
            backoff.reset();
        }
        pause();
    }

    private void pause() {
        if (!isEnded) {
            again.at(System.nanoTime() + backoff.next(random.getAsDouble()));
        }
    }

    /** Dials no more. */
    void end() {
        isEnded = true;
        again.cancel();
        slow.cancel();
        Connection open = trying;
        if (open != null) {
            open.close("this transport was closed");
        }
    }
}
