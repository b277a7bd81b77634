package dev.mandate.peers.classic;

import dev.mandate.peers.order.Order;
import dev.mandate.peers.order.OrderAction;
import dev.mandate.peers.order.OrderEvent;
import dev.mandate.peers.order.OrderMessage;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;

/** One process: it follows a leader for as long as it hears of it, and elects another one when it does not. */
final class ClassicNode {
    static final RecordKey ELECTION = RecordKey.election("classic");
    static final int NOBODY = -1;

    /** What a node does to the world. */
    interface Surroundings {
        void send(int from, int to, OrderMessage message);

        void heartbeat(int from);

        /** {@code node} believes in another leader than before. */
        void believes(ClassicNode node);

        void notices(ClassicNode node);
    }

    final int id;
    private final Order order;
    private final Surroundings world;
    private int leader = NOBODY;
    private boolean electing;
    private long beatAtNanos;
    private long patientUntilNanos;
    long nowNanos;

    ClassicNode(int id, Order order, Surroundings world, long nowNanos) {
        this.id = id;
        this.order = order;
        this.world = world;
        this.nowNanos = nowNanos;
        this.beatAtNanos = Long.MAX_VALUE;
        this.patientUntilNanos = Long.MAX_VALUE;
    }

    /** Whom it follows: itself if it leads. */
    int leader() {
        return leader;
    }

    boolean isLeader() {
        return leader == id;
    }

    /** A node that starts, or comes back, elects at once. */
    void start() {
        elect();
    }

    long wakeAtNanos() {
        return Math.min(order.wakeAtNanos(), isLeader() ? beatAtNanos : patientUntilNanos);
    }

    void tick() {
        if (isLeader() && nowNanos >= beatAtNanos) {
            beatAtNanos = nowNanos + ClassicWorld.HEARTBEAT_NANOS;
            world.heartbeat(id);
        }
        if (!isLeader() && nowNanos >= patientUntilNanos) {
            world.notices(this);
            elect();
        }
        act(OrderEvent.Tick.INSTANCE);
    }

    /** Whoever says that it leads is believed, unless somebody higher does. */
    void heartbeat(int from) {
        if (from == leader) {
            patientUntilNanos = nowNanos + ClassicWorld.PATIENCE_NANOS;
        } else if (!electing && from > leader) {
            believe(from);
        }
    }

    void receive(int from, OrderMessage message) {
        act(new OrderEvent.Received(from, message));
        if (message instanceof OrderMessage.Coordinator) {
            if (from > id) {
                believe(from);
            } else {
                elect();
            }
        } else if (message instanceof OrderMessage.Token token && token.announcing()) {
            believe(highest(token));
        }
    }

    private void elect() {
        electing = true;
        // A time-out of its own, should the election come to nothing.
        patientUntilNanos = nowNanos + ClassicWorld.PATIENCE_NANOS;
        act(new OrderEvent.Stands(ELECTION, new Stance.Following(0)));
        act(new OrderEvent.Stands(ELECTION, Stance.Seeking.INSTANCE));
    }

    private void act(OrderEvent event) {
        for (OrderAction action : order.step(event, nowNanos)) {
            if (action instanceof OrderAction.Send send) {
                if (send.message() instanceof OrderMessage.Coordinator) {
                    believe(id);
                } else if (send.message() instanceof OrderMessage.Token token && token.announcing()) {
                    believe(highest(token));
                }
                world.send(id, send.to(), send.message());
            } else if (action instanceof OrderAction.Placed placed && placed.place() == 0) {
                believe(id);
            }
        }
    }

    private static int highest(OrderMessage.Token token) {
        return 63 - Long.numberOfLeadingZeros(token.standing());
    }

    private void believe(int whom) {
        electing = false;
        patientUntilNanos = nowNanos + ClassicWorld.PATIENCE_NANOS;
        if (leader != whom) {
            leader = whom;
            beatAtNanos = nowNanos;
            world.believes(this);
        }
    }
}
