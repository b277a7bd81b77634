package dev.mandate.peers.runtime;

import dev.mandate.peers.node.Node;
import dev.mandate.peers.transport.Peer;
import dev.mandate.peers.transport.PeerAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The numbers by which a node knows its peers: members by their places, guests by one drawn for each connection. */
final class Peers {
    private final List<String> members;
    private final AtomicLong nextGuest = new AtomicLong(Node.GUESTS_FROM);
    private final Map<String, Long> guests = new ConcurrentHashMap<>();
    private final Map<Long, String> names = new ConcurrentHashMap<>();

    Peers(List<PeerAddress> members) {
        this.members = members.stream().map(PeerAddress::toString).toList();
    }

    void connected(Peer peer) {
        if (!peer.isMember()) {
            long number = nextGuest.getAndIncrement();
            guests.put(peer.id(), number);
            names.put(number, peer.id());
        }
    }

    void disconnected(Peer peer) {
        Long number = guests.remove(peer.id());
        if (number != null) {
            names.remove(number);
        }
    }

    /** The number of a peer; negative if it has none. */
    long number(Peer peer) {
        return peer.isMember() ? members.indexOf(peer.id()) : guests.getOrDefault(peer.id(), -1L);
    }

    /** The name of a peer, or null if it is no longer connected. */
    @Nullable
    String name(long number) {
        return number >= 0 && number < members.size() ? members.get((int) number) : names.get(number);
    }

    /** The name of the member at {@code place}. */
    String member(int place) {
        return members.get(place);
    }
}
