package dev.mandate.peers.runtime;

import dev.mandate.StoreSetupException;
import dev.mandate.peers.transport.LinkStatus;
import dev.mandate.peers.transport.PeerAddress;
import dev.mandate.peers.url.GroupSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The nodes of this process: one for each member that it is, shared by its clients; one for each guest client. */
public final class Nodes {
    /** One for each member that this process ever was; each is its own lock. */
    private static final Map<PeerAddress, Seat> MEMBERS = new ConcurrentHashMap<>();

    private Nodes() {}

    /** One member. One thread at a time opens or closes it, which may take some seconds. */
    private static final class Seat {
        @Nullable
        RunningNode node;

        int clients;
    }

    /** A client's share of a node. */
    public static final class Share implements AutoCloseable {
        private final RunningNode node;
        private final Seat seat;
        private boolean closed;

        private Share(RunningNode node, Seat seat) {
            this.node = node;
            this.seat = seat;
        }

        /** The node. */
        public RunningNode node() {
            return node;
        }

        /** Closes the node if this was its last share. Idempotent. */
        @Override
        public void close() {
            synchronized (seat) {
                if (!closed) {
                    closed = true;
                    node.leave(this);
                    if (--seat.clients == 0) {
                        seat.node = null;
                        node.close();
                    }
                }
            }
        }
    }

    /**
     * The node of this member, started if necessary; or a new one for a guest.
     *
     * @throws StoreSetupException if this process already is that member with other settings, or the node can't start
     */
    public static Share open(GroupSettings settings) {
        Seat seat = settings.self()
                .map(self -> MEMBERS.computeIfAbsent(self, absent -> new Seat()))
                .orElseGet(Seat::new);
        synchronized (seat) {
            RunningNode node = seat.node;
            if (node == null) {
                node = RunningNode.open(settings);
                seat.node = node;
            } else {
                requireSame(settings, node.settings());
            }
            seat.clients++;
            return new Share(node, seat);
        }
    }

    /** All links of all members that this process is, for people and measurements. */
    public static List<LinkStatus> links() {
        List<LinkStatus> links = new ArrayList<>();
        for (Seat seat : MEMBERS.values()) {
            synchronized (seat) {
                RunningNode node = seat.node;
                links.addAll(node == null ? List.of() : node.links());
            }
        }
        return links;
    }

    private static void requireSame(GroupSettings wanted, GroupSettings known) {
        if (!wanted.sharesNodeWith(known)) {
            throw new StoreSetupException(
                    "this process is the member " + known.self().orElseThrow()
                            + " already, with " + known.text() + ", and now with " + wanted.text()
                            + "; give all clients of a process the same");
        }
    }
}
