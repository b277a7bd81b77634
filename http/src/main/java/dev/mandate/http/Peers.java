package dev.mandate.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;

/**
 * The connections, and how long each has kept the server waiting for a whole request or for room to write. After {@link
 * #PATIENCE_NANOS} it is closed, even if single bytes come meanwhile. At most {@value #MOST} are open: a further one
 * replaces the one that has been idle longest. Safe for use from many threads.
 */
final class Peers implements Connection.Listener {
    static final int MOST = 256;
    static final long PATIENCE_NANOS = 10_000_000_000L;

    private final LongSupplier nanoTime;

    /** Guarded by this. */
    private final Map<Connection, Peer> peers = new HashMap<>();

    private static final class Peer {
        /** Its server does not report connections, so it is known only while it has a request. */
        final boolean isVisitor;

        boolean isIdle = true;
        boolean isAwaited = true;
        long sinceNanos;

        Peer(boolean isVisitor, long sinceNanos) {
            this.isVisitor = isVisitor;
            this.sinceNanos = sinceNanos;
        }
    }

    Peers(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    // ---- events ----

    @Override
    public void onOpened(Connection connection) {
        Connection surplus = null;
        synchronized (this) {
            peers.put(connection, new Peer(false, nanoTime.getAsLong()));
            if (peers.size() > MOST) {
                Connection idlest = idlest(connection);
                surplus = idlest == null ? connection : idlest;
                peers.remove(surplus);
            }
        }
        if (surplus != null) {
            close(surplus, "more than " + MOST + " connections");
        }
    }

    private @Nullable Connection idlest(Connection but) {
        Connection found = null;
        long earliest = 0;
        for (Map.Entry<Connection, Peer> each : peers.entrySet()) {
            Peer peer = each.getValue();
            boolean isLonger = found == null || peer.sinceNanos - earliest < 0;
            if (peer.isIdle && isLonger && !each.getKey().equals(but)) {
                found = each.getKey();
                earliest = peer.sinceNanos;
            }
        }
        return found;
    }

    @Override
    public synchronized void onClosed(Connection connection) {
        peers.remove(connection);
    }

    /** A whole request has arrived, and its answer is being written. */
    synchronized void begins(Connection connection) {
        peers.computeIfAbsent(connection, none -> new Peer(true, 0)).isIdle = false;
        waits(connection);
    }

    /** Something is being written to it. */
    synchronized void waits(Connection connection) {
        Peer peer = peers.get(connection);
        if (peer != null) {
            peer.isAwaited = true;
            peer.sinceNanos = nanoTime.getAsLong();
        }
    }

    /** The write is done; more may follow later. */
    synchronized void wrote(Connection connection) {
        Peer peer = peers.get(connection);
        if (peer != null) {
            peer.isAwaited = false;
        }
    }

    /** The request has been answered. */
    synchronized void ends(Connection connection) {
        Peer peer = peers.get(connection);
        if (peer != null && peer.isVisitor) {
            peers.remove(connection);
        } else if (peer != null) {
            peer.isIdle = true;
            peer.isAwaited = true;
            peer.sinceNanos = nanoTime.getAsLong();
        }
    }

    synchronized int count() {
        return peers.size();
    }

    // ---- slow connections ----

    /** Closes those that have taken too long. To be called often. */
    void sweep() {
        List<Connection> slow = new ArrayList<>();
        synchronized (this) {
            long now = nanoTime.getAsLong();
            peers.forEach((connection, peer) -> {
                if (peer.isAwaited && now - peer.sinceNanos >= PATIENCE_NANOS) {
                    slow.add(connection);
                }
            });
            slow.forEach(peers::remove);
        }
        slow.forEach(connection -> close(connection, "the client neither sent nor read anything for 10 s"));
    }

    private static void close(Connection connection, String why) {
        EndPoint end = connection.getEndPoint();
        if (end != null) {
            end.close(new TimeoutException(why));
        }
    }
}
