package dev.mandate.peers.runtime;

import dev.mandate.StoreSetupException;
import dev.mandate.peers.transport.PeerAddress;
import dev.mandate.peers.url.GroupSettings;
import java.util.HashMap;
import java.util.Map;

/** The nodes of this process: one for each member that it is, shared by its clients; one for each client that is a guest. */
public final class Nodes {
    /** Guards itself, and the number of clients of each. */
    private static final Map<PeerAddress, Shared> MEMBERS = new HashMap<>();

    private Nodes() {}

    private static final class Shared {
        final RunningNode node;
        int clients;

        Shared(RunningNode node) {
            this.node = node;
        }
    }

    /** A client's share of a node. */
    public static final class Share implements AutoCloseable {
        private final RunningNode node;
        private boolean closed;

        private Share(RunningNode node) {
            this.node = node;
        }

        /** The node. */
        public RunningNode node() {
            return node;
        }

        /** The last one closes the node. Any number of times. */
        @Override
        public void close() {
            synchronized (MEMBERS) {
                if (!closed) {
                    closed = true;
                    node.leave(this);
                    Nodes.close(node);
                }
            }
        }
    }

    /**
     * The node of this member, started if need be; or a new one for a guest.
     *
     * @throws StoreSetupException if this process is the same member with other settings already, or the node can't be
     *     started
     */
    public static Share open(GroupSettings settings) {
        if (settings.self().isEmpty()) {
            return new Share(RunningNode.open(settings));
        }
        PeerAddress self = settings.self().get();
        synchronized (MEMBERS) {
            Shared shared = MEMBERS.get(self);
            if (shared == null) {
                shared = new Shared(RunningNode.open(settings));
                MEMBERS.put(self, shared);
            } else {
                requireSame(settings, shared.node.settings());
            }
            shared.clients++;
            return new Share(shared.node);
        }
    }

    private static void requireSame(GroupSettings wanted, GroupSettings known) {
        if (!wanted.sharesNodeWith(known)) {
            throw new StoreSetupException(
                    "this process is the member " + known.self().orElseThrow()
                            + " already, with " + known.text() + ", and now with " + wanted.text()
                            + "; give all clients of a process the same");
        }
    }

    private static void close(RunningNode node) {
        if (node.settings().self().isPresent()) {
            PeerAddress self = node.settings().self().get();
            Shared shared = MEMBERS.get(self);
            if (shared == null || shared.node != node || --shared.clients > 0) {
                return;
            }
            MEMBERS.remove(self);
        }
        node.close();
    }
}
