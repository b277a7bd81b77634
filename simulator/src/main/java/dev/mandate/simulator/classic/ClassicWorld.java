package dev.mandate.simulator.classic;

import dev.mandate.peers.order.OrderMessage;
import dev.mandate.peers.order.OrderTiming;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Nodes that believe the outcome of an election, and the network between them. The same seed gives the same run. */
final class ClassicWorld implements ClassicNode.Surroundings {
    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;
    static final long HEARTBEAT_NANOS = 500 * MILLI;
    /** A node that hears no heartbeat of its leader for this long starts an election. */
    static final long PATIENCE_NANOS = 2 * SECOND;

    /** A message takes 1 ms and up to this much more, unless it is late. */
    private static final long DELAY_NANOS = 5 * MILLI;
    /** A late message takes 1 ms and up to this much more. */
    private static final long LATE_NANOS = 1_500 * MILLI;

    /** Timeouts: 200 ms for answers, 500 ms for COORDINATOR, 100 ms for a hop's confirmation, 300 ms for a lap. */
    private static final OrderTiming TIMING = new OrderTiming(100 * MILLI);

    private final Algorithm algorithm;
    private final SplittableRandom random;
    private final ClassicTranscript transcript;
    private final @Nullable ClassicNode[] nodes;
    /** Counts starts and crashes: each message is for one life of a node. */
    private final int[] lives;

    private final int[] side;
    private final long[] pausedUntilNanos;
    private final Happenings happenings = new Happenings();
    private final Overlap overlap = new Overlap();
    private long nowNanos;
    private double loss;
    private double late;

    ClassicWorld(Algorithm algorithm, int nodes, SplittableRandom random, ClassicTranscript transcript) {
        this.algorithm = algorithm;
        this.random = random;
        this.transcript = transcript;
        this.nodes = new @Nullable ClassicNode[nodes];
        this.lives = new int[nodes];
        this.side = new int[nodes];
        this.pausedUntilNanos = new long[nodes];
    }

    long nowNanos() {
        return nowNanos;
    }

    boolean lives(int id) {
        return nodes[id] != null;
    }

    /** The nodes that believe they lead and are not paused. */
    List<Integer> leaders() {
        List<Integer> leaders = new ArrayList<>();
        for (ClassicNode node : nodes) {
            if (node != null && node.isLeader() && nowNanos >= pausedUntilNanos[node.id]) {
                leaders.add(node.id);
            }
        }
        return leaders;
    }

    /** The leader that {@code id} believes in; {@link ClassicNode#NOBODY} for none. */
    int leaderOf(int id) {
        ClassicNode node = nodes[id];
        return node == null ? ClassicNode.NOBODY : node.leader();
    }

    /** How long several led at once, in total. */
    long severalNanos() {
        return overlap.totalNanos(nowNanos);
    }

    /** The longest time without a break in which several led at once. */
    long longestNanos() {
        return overlap.longestNanos(nowNanos);
    }

    // ---- faults ----

    /** From now on loses this share of all messages, and delivers this share of the others late. */
    void disturb(double lossShare, double lateShare) {
        loss = lossShare;
        late = lateShare;
    }

    void startAll() {
        List<ClassicNode> all = new ArrayList<>();
        for (int id = 0; id < nodes.length; id++) {
            all.add(create(id));
        }
        all.forEach(node -> node.start(nowNanos));
    }

    void start(int id) {
        transcript.starts(nowNanos, id);
        create(id).start(nowNanos);
    }

    private ClassicNode create(int id) {
        lives[id]++;
        pausedUntilNanos[id] = 0;
        ClassicNode node = new ClassicNode(id, algorithm.order(id, nodes.length, TIMING, random.split()), this);
        nodes[id] = node;
        return node;
    }

    void crash(int id) {
        transcript.crashes(nowNanos, id);
        lives[id]++;
        nodes[id] = null;
        count();
    }

    /** {@code id} does nothing for this long, or longer if it is already paused. Messages wait for it. */
    void pause(int id, long nanos) {
        transcript.pauses(nowNanos, id, nanos);
        long until = Math.max(pausedUntilNanos[id], nowNanos + nanos);
        pausedUntilNanos[id] = until;
        count();
        happenings.add(until, () -> {
            if (pausedUntilNanos[id] == until) {
                transcript.wakes(nowNanos, id);
                count();
            }
        });
    }

    /** From now on no message crosses between {@code apart} and the others. */
    void split(List<Integer> apart) {
        Arrays.fill(side, 0);
        apart.forEach(id -> side[id] = 1);
        transcript.splits(nowNanos, side);
    }

    void heal() {
        Arrays.fill(side, 0);
        transcript.heals(nowNanos);
    }

    // ---- what nodes do ----

    @Override
    public void send(int from, int to, OrderMessage message) {
        boolean arrives = deliver(from, to, node -> node.receive(from, message, nowNanos));
        transcript.sends(nowNanos, from, to, message, arrives);
    }

    @Override
    public void heartbeat(int from) {
        for (int to = 0; to < nodes.length; to++) {
            if (to != from) {
                deliver(from, to, node -> node.heartbeat(from, nowNanos));
            }
        }
    }

    @Override
    public void misses(ClassicNode node) {
        transcript.misses(nowNanos, node.id, node.leader());
    }

    @Override
    public void believes(ClassicNode node, boolean byHeartbeat) {
        transcript.believes(nowNanos, node.id, node.leader(), byHeartbeat);
        count();
    }

    private interface Receipt {
        void by(ClassicNode node);
    }

    private boolean deliver(int from, int to, Receipt receipt) {
        if (side[from] != side[to] || nodes[to] == null || random.nextDouble() < loss) {
            return false;
        }
        long most = random.nextDouble() < late ? LATE_NANOS : DELAY_NANOS;
        arrive(to, lives[to], nowNanos + MILLI + random.nextLong(most), receipt);
        return true;
    }

    private void arrive(int to, int life, long atNanos, Receipt receipt) {
        happenings.add(atNanos, () -> {
            ClassicNode node = nodes[to];
            if (node == null || lives[to] != life) {
                return;
            }
            if (nowNanos < pausedUntilNanos[to]) {
                arrive(to, life, pausedUntilNanos[to], receipt);
            } else {
                receipt.by(node);
            }
        });
    }

    private void count() {
        List<Integer> leaders = leaders();
        long lasted = overlap.currentNanos(nowNanos);
        if (overlap.counted(leaders.size(), nowNanos)) {
            transcript.counts(nowNanos, leaders, lasted);
        }
    }

    // ---- time ----

    /** Runs {@code what} after {@code nanos}. */
    void after(long nanos, Runnable what) {
        happenings.add(nowNanos + nanos, what);
    }

    void runFor(long nanos) {
        long until = nowNanos + nanos;
        for (long wake = wakeNanos(); Math.min(wake, happenings.nextNanos()) <= until; wake = wakeNanos()) {
            // At the same instant, happenings run before ticks.
            if (happenings.nextNanos() <= wake) {
                nowNanos = Math.max(nowNanos, happenings.nextNanos());
                happenings.runFirst();
            } else {
                nowNanos = Math.max(nowNanos, wake);
                tick();
            }
        }
        nowNanos = until;
    }

    private void tick() {
        for (ClassicNode node : nodes) {
            if (node != null && wakeNanos(node) <= nowNanos) {
                node.tick(nowNanos);
            }
        }
    }

    private long wakeNanos() {
        long next = Long.MAX_VALUE;
        for (ClassicNode node : nodes) {
            next = node == null ? next : Math.min(next, wakeNanos(node));
        }
        return next;
    }

    private long wakeNanos(ClassicNode node) {
        return Math.max(node.wakeAtNanos(), pausedUntilNanos[node.id]);
    }
}
