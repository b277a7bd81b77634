package dev.mandate.peers.runtime;

import dev.mandate.peers.node.NodeEvent;
import dev.mandate.peers.register.MalformedMessageException;
import dev.mandate.peers.transport.Peer;
import dev.mandate.peers.transport.Refusal;
import dev.mandate.peers.transport.TransportListener;
import dev.mandate.spi.Ration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Turns what the transport reports into events of the node. On the transport's thread. */
final class NodeListener implements TransportListener {
    private static final long LINES_APART_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Peers peers;
    private final Consumer<NodeEvent> node;
    private final LongSupplier turn;
    private final Messages messages;
    /** Members whose links the node was last told are up. Used on the transport's thread. */
    private final Set<String> up = new HashSet<>();

    private final Ration lines = new Ration(LINES_APART_NANOS);

    /** Takes a peer's payload, or drops it. */
    interface Messages {
        /** Takes the events of a payload of so many bytes. */
        void hear(List<NodeEvent> what, int bytes);
    }

    /**
     * @param node takes events that must not be lost
     * @param messages takes those that may be
     * @param turn takes the node's turn, and returns when the next one is due
     */
    NodeListener(Peers peers, Consumer<NodeEvent> node, Messages messages, LongSupplier turn) {
        this.peers = peers;
        this.node = node;
        this.messages = messages;
        this.turn = turn;
    }

    @Override
    public void connected(Peer peer) {
        peers.connected(peer);
        // Its former end could not be told.
        tell(peer, false);
        tell(peer, true);
    }

    /** Tells of a link that changed, and no other: whoever counts them must not be off by one if telling fails. */
    private void tell(Peer peer, boolean isUp) {
        if (!peer.isMember() || up.contains(peer.id()) == isUp) {
            return;
        }
        node.accept(new NodeEvent.Link((int) peers.number(peer), isUp));
        if (isUp) {
            up.add(peer.id());
        } else {
            up.remove(peer.id());
        }
    }

    @Override
    public void disconnected(Peer peer, String reason) {
        tell(peer, false);
        peers.disconnected(peer);
    }

    @Override
    public void received(Peer peer, byte[] payload) {
        long from = peers.number(peer);
        try {
            Packet packet = Packet.decode(payload);
            List<NodeEvent> what = new ArrayList<>();
            packet.messages().forEach(message -> what.add(new NodeEvent.Received(from, message)));
            if (peer.isMember()) {
                packet.turns().forEach(turn -> what.add(new NodeEvent.ReceivedTurn((int) from, turn)));
            }
            messages.hear(what, payload.length);
        } catch (MalformedMessageException e) {
            long times = lines.happened(System.nanoTime());
            if (times > 0) {
                NodeLog.log(
                        System.Logger.Level.WARNING,
                        "{0} sent an unreadable message, {1} times so far: {2}; run one version everywhere",
                        peer.id(),
                        times,
                        String.valueOf(e.getMessage()));
            }
        }
    }

    @Override
    public long turned() {
        return turn.getAsLong();
    }

    @Override
    public void refused(Peer peer, Refusal refusal) {
        boolean concerns = switch (refusal.kind()) {
            case LIST_DIFFERS, TERMS_DIFFER -> peer.isMember();
            // Not if that member is connected: this process only keeps out its double, and the first one goes on.
            case SELF_TAKEN -> !up.contains(peer.id());
            default -> false;
        };
        if (concerns) {
            node.accept(new NodeEvent.Disagreed(refusal.sentence()));
        }
    }
}
