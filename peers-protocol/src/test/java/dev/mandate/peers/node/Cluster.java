package dev.mandate.peers.node;

import dev.mandate.engine.Entropy;
import dev.mandate.engine.Now;
import dev.mandate.peers.order.Order;
import dev.mandate.peers.order.Race;
import dev.mandate.peers.register.DurableState;
import dev.mandate.peers.register.Group;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Recall;
import dev.mandate.peers.register.Voter;
import dev.mandate.peers.register.VoterSettings;
import dev.mandate.spi.Id;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/** Nodes on a network that delivers when it is told to, disks that write at once, and one clock. */
final class Cluster {
    static final Duration LEASE = Duration.ofSeconds(1);
    static final long GUEST = Node.GUESTS_FROM + 7;

    final Group group;
    final List<Node> nodes = new ArrayList<>();
    final Node guest;
    final Map<Long, CallResult> results = new HashMap<>();
    final List<NodeAction> told = new ArrayList<>();
    final Deque<Sent> network = new ArrayDeque<>();
    final List<Sent> sent = new ArrayList<>();
    Predicate<Sent> isLost = each -> false;
    Now now = new Now(1_000, 2_000, 500_000);
    private final Entropy entropy = new Random(5)::nextLong;
    private long calls;

    /** Something that left a node. */
    record Sent(long from, long to, Message message, long untilNanos) {}

    Cluster(int voters) {
        this(voters, place -> new Race());
    }

    Cluster(int voters, IntFunction<Order> order) {
        group = new Group(voters);
        for (int place = 0; place < voters; place++) {
            nodes.add(new Node(settings(place), voter(place), order.apply(place), entropy));
        }
        guest = new Node(settings(NodeSettings.GUEST), null, new Race(), entropy);
    }

    /** All vote. */
    static Cluster voting(int voters) {
        Cluster cluster = new Cluster(voters);
        for (int place = 0; place < voters; place++) {
            cluster.take(place, cluster.nodes.get(place).begin(cluster.now));
        }
        cluster.take(GUEST, cluster.guest.begin(cluster.now));
        cluster.passUntilAllVote();
        cluster.sent.clear();
        cluster.told.clear();
        return cluster;
    }

    void passUntilAllVote() {
        for (int i = 0; i < 60; i++) {
            pass(Duration.ofMillis(50));
            deliver();
        }
    }

    private NodeSettings settings(int place) {
        return NodeSettings.of(group, place, LEASE);
    }

    private Voter voter(int place) {
        VoterSettings settings = new VoterSettings(group, place, LEASE.toNanos(), 60_000, 20_000_000);
        return new Voter(settings, new Recall.Missing(), new Id(77, place + 1), now.monotonicNanos());
    }

    Node node(long who) {
        return who == GUEST ? guest : nodes.get((int) who);
    }

    /** What of a member's disk matters here is that it is written at once. */
    private void persisted(long who, long sequence, DurableState state) {
        take(who, node(who).step(new NodeEvent.Persisted(sequence), now));
    }

    void take(long who, List<NodeAction> actions) {
        for (NodeAction action : actions) {
            if (action instanceof NodeAction.Send send) {
                Sent one = new Sent(who, send.to(), send.message(), send.untilNanos());
                sent.add(one);
                network.add(one);
            } else if (action instanceof NodeAction.Persist persist) {
                persisted(who, persist.sequence(), persist.state());
            } else if (action instanceof NodeAction.Ended ended) {
                results.put(ended.id(), ended.result());
            } else {
                told.add(action);
            }
        }
    }

    void step(long who, NodeEvent event) {
        take(who, node(who).step(event, now));
    }

    /** Everything that is under way arrives, and what follows from it. */
    void deliver() {
        while (!network.isEmpty()) {
            Sent one = network.removeFirst();
            if (!isLost.test(one)) {
                step(one.to(), new NodeEvent.Received(one.from(), one.message()));
            }
        }
    }

    void pass(Duration time) {
        long nanos = time.toNanos();
        now = new Now(now.monotonicNanos() + nanos, now.bootNanos() + nanos, now.wallMillis() + time.toMillis());
        for (int place = 0; place < nodes.size(); place++) {
            step(place, new NodeEvent.Tick());
        }
        step(GUEST, new NodeEvent.Tick());
    }

    /** Begins a call, which has a lease of time. */
    long begin(long who, Call call) {
        long id = calls++;
        step(who, new NodeEvent.Begin(id, call, now.bootNanos() + LEASE.toNanos()));
        return id;
    }

    /** What comes of a call if everything arrives at once. */
    CallResult call(long who, Call call) {
        long id = begin(who, call);
        deliver();
        while (!results.containsKey(id)) {
            // It collided, or asked somebody who does not answer.
            pass(Duration.ofMillis(5));
            deliver();
        }
        return results.get(id);
    }
}
