package dev.mandate.simulator.classic;

import dev.mandate.peers.order.Order;
import dev.mandate.peers.order.OrderAction;
import dev.mandate.peers.order.OrderEvent;
import dev.mandate.peers.order.OrderMessage;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;

/** One process: it follows a leader while it hears that leader's heartbeats, and starts an election when they stop. */
final class ClassicNode {
    static final int NOBODY = -1;

    private static final RecordKey ELECTION = RecordKey.election("classic");

    /** What a node does to the world. */
    interface Surroundings {
        void send(int from, int to, OrderMessage message);

        /** Goes to all other nodes. */
        void heartbeat(int from);

        /** {@code node} believes in another leader than before; {@code byHeartbeat}: because it heard that leader. */
        void believes(ClassicNode node, boolean byHeartbeat);

        /** {@code node} misses its leader's heartbeats and starts an election. */
        void misses(ClassicNode node);
    }

    final int id;
    private final Order order;
    private final Surroundings world;
    private int leader = NOBODY;
    private boolean electing;
    private long beatAtNanos = Long.MAX_VALUE;
    private long patientUntilNanos = Long.MAX_VALUE;
    private long nowNanos;

    ClassicNode(int id, Order order, Surroundings world) {
        this.id = id;
        this.order = order;
        this.world = world;
    }

    /** The node that it believes leads, itself included; {@link #NOBODY} for none. */
    int leader() {
        return leader;
    }

    boolean isLeader() {
        return leader == id;
    }

    /** Starts or restarts with an election. */
    void start(long now) {
        nowNanos = now;
        elect();
    }

    /** When {@link #tick} is due. */
    long wakeAtNanos() {
        return Math.min(order.wakeAtNanos(), isLeader() ? beatAtNanos : patientUntilNanos);
    }

    void tick(long now) {
        nowNanos = now;
        if (isLeader() && now >= beatAtNanos) {
            beatAtNanos = now + ClassicWorld.HEARTBEAT_NANOS;
            world.heartbeat(id);
        }
        if (!isLeader() && now >= patientUntilNanos) {
            world.misses(this);
            elect();
        }
        act(OrderEvent.Tick.INSTANCE);
    }

    /** A node that claims to lead is believed unless this node follows a higher one. */
    void heartbeat(int from, long now) {
        nowNanos = now;
        if (from == leader) {
            patientUntilNanos = now + ClassicWorld.PATIENCE_NANOS;
        } else if (!electing && from > leader) {
            believe(from, true);
        }
    }

    void receive(int from, OrderMessage message, long now) {
        nowNanos = now;
        act(new OrderEvent.Received(from, message));
        if (message instanceof OrderMessage.Coordinator) {
            if (from > id) {
                believe(from, false);
            } else {
                elect();
            }
        } else if (message instanceof OrderMessage.Token token && token.announcing()) {
            believe(highest(token), false);
        }
    }

    private void elect() {
        electing = true;
        // In case this election yields no leader.
        patientUntilNanos = nowNanos + ClassicWorld.PATIENCE_NANOS;
        act(new OrderEvent.StanceChanged(ELECTION, new Stance.Following(0)));
        act(new OrderEvent.StanceChanged(ELECTION, Stance.Seeking.INSTANCE));
    }

    private void act(OrderEvent event) {
        for (OrderAction action : order.step(event, nowNanos)) {
            if (action instanceof OrderAction.Send send) {
                if (send.message() instanceof OrderMessage.Coordinator) {
                    believe(id, false);
                } else if (send.message() instanceof OrderMessage.Token token && token.announcing()) {
                    believe(highest(token), false);
                }
                world.send(id, send.to(), send.message());
            } else if (action instanceof OrderAction.Placed placed && placed.place() == 0) {
                believe(id, false);
            }
        }
    }

    /** The node that an announcement names leader. */
    static int highest(OrderMessage.Token token) {
        return Long.SIZE - 1 - Long.numberOfLeadingZeros(token.campaigning());
    }

    private void believe(int whom, boolean byHeartbeat) {
        electing = false;
        patientUntilNanos = nowNanos + ClassicWorld.PATIENCE_NANOS;
        if (leader != whom) {
            leader = whom;
            beatAtNanos = nowNanos;
            world.believes(this, byHeartbeat);
        }
    }
}
