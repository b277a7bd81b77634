package dev.mandate.peers.classic;

import dev.mandate.peers.order.OrderMessage;
import dev.mandate.peers.order.OrderTiming;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Nodes that believe what an order tells them, and the network between them. The same seed gives the same run. */
final class ClassicWorld implements ClassicNode.Surroundings {
    static final long MILLI = 1_000_000;
    static final long HEARTBEAT_NANOS = 500 * MILLI;
    /** Without a word of its leader for so long, a node elects another one. */
    static final long PATIENCE_NANOS = 2_000 * MILLI;

    /** Answers are awaited for 200 ms, COORDINATOR for 500 ms, a lap for 300 ms. */
    private static final OrderTiming TIMING = new OrderTiming(100 * MILLI);

    /** What happens at a time. */
    private record Happening(long atNanos, long serial, Runnable what) {}

    private final Algorithm algorithm;
    private final SplittableRandom random;
    private final @Nullable ClassicNode[] nodes;
    private final int[] lives;
    private final int[] side;
    private final long[] pausedUntilNanos;
    private final PriorityQueue<Happening> happenings =
            new PriorityQueue<>(Comparator.comparingLong(Happening::atNanos).thenComparingLong(Happening::serial));
    private final List<String> transcript = new ArrayList<>();
    private final boolean writes;
    private long serial;
    private long nowNanos;

    /** The share of messages that are lost, and the share that takes up to {@link #lateNanos}. */
    double loss;

    double late;
    long lateNanos = 1_500 * MILLI;

    private long severalSinceNanos = Long.MAX_VALUE;
    private long severalNanos;
    private long longestNanos;
    private int terms;

    ClassicWorld(Algorithm algorithm, int members, long seed, boolean writes) {
        this.algorithm = algorithm;
        this.random = new SplittableRandom(seed);
        this.nodes = new @Nullable ClassicNode[members];
        this.lives = new int[members];
        this.side = new int[members];
        this.pausedUntilNanos = new long[members];
        this.writes = writes;
    }

    int members() {
        return nodes.length;
    }

    boolean lives(int id) {
        return nodes[id] != null;
    }

    /** Those that believe they lead, and are not paused. */
    List<Integer> leaders() {
        List<Integer> leaders = new ArrayList<>();
        for (ClassicNode node : nodes) {
            if (node != null && node.isLeader() && nowNanos >= pausedUntilNanos[node.id]) {
                leaders.add(node.id);
            }
        }
        return leaders;
    }

    /** Whom {@code id} follows. */
    int leaderOf(int id) {
        ClassicNode node = nodes[id];
        return node == null ? ClassicNode.NOBODY : node.leader();
    }

    /** How long several led at once, in nanoseconds. */
    long severalNanos() {
        return severalNanos + (severalSinceNanos == Long.MAX_VALUE ? 0 : nowNanos - severalSinceNanos);
    }

    /** The longest time during which several led at once without a break. */
    long longestNanos() {
        return severalSinceNanos == Long.MAX_VALUE
                ? longestNanos
                : Math.max(longestNanos, nowNanos - severalSinceNanos);
    }

    /** How often somebody began to lead. */
    int terms() {
        return terms;
    }

    long nowNanos() {
        return nowNanos;
    }

    List<String> transcript() {
        return transcript;
    }

    // ---- faults ----

    void startAll() {
        List<ClassicNode> all = new ArrayList<>();
        for (int id = 0; id < nodes.length; id++) {
            all.add(create(id));
        }
        all.forEach(ClassicNode::start);
    }

    void start(int id) {
        note(name(id) + " starts");
        create(id).start();
    }

    private ClassicNode create(int id) {
        lives[id]++;
        ClassicNode node =
                new ClassicNode(id, algorithm.order(id, nodes.length, TIMING, random.split()), this, nowNanos);
        nodes[id] = node;
        return node;
    }

    void crash(int id) {
        note(name(id) + " crashes");
        lives[id]++;
        nodes[id] = null;
        counted();
    }

    void pause(int id, long nanos) {
        note(name(id) + " pauses for " + seconds(nanos) + " s");
        pausedUntilNanos[id] = nowNanos + nanos;
        counted();
        at(nanos, () -> {
            note(name(id) + " goes on");
            counted();
        });
    }

    /** Those in {@code apart} and the others hear nothing of each other any more. */
    void split(List<Integer> apart) {
        Arrays.fill(side, 0);
        apart.forEach(id -> side[id] = 1);
        note("the network splits: " + names(0) + " | " + names(1));
    }

    void heal() {
        Arrays.fill(side, 0);
        note("the network heals");
    }

    // ---- what nodes do ----

    @Override
    public void send(int from, int to, OrderMessage message) {
        boolean arrives = deliver(from, to, node -> node.receive(from, message));
        if (!(message instanceof OrderMessage.TokenArrived)) {
            note("  " + name(from) + " -> " + name(to) + "  " + text(message) + (arrives ? "" : "  (lost)"));
        }
    }

    @Override
    public void heartbeat(int from) {
        for (int to = 0; to < nodes.length; to++) {
            if (to != from) {
                deliver(from, to, node -> node.heartbeat(from));
            }
        }
    }

    @Override
    public void notices(ClassicNode node) {
        note(name(node.id) + " hears nothing of its leader, and elects");
    }

    @Override
    public void believes(ClassicNode node) {
        terms += node.isLeader() ? 1 : 0;
        note(node.isLeader() ? "* " + name(node.id) + " LEADS" : name(node.id) + " follows " + name(node.leader()));
        counted();
    }

    private interface Receipt {
        void by(ClassicNode node);
    }

    private boolean deliver(int from, int to, Receipt receipt) {
        if (side[from] != side[to] || nodes[to] == null || random.nextDouble() < loss) {
            return false;
        }
        long most = random.nextDouble() < late ? lateNanos : 5 * MILLI;
        arrive(to, lives[to], MILLI + random.nextLong(most), receipt);
        return true;
    }

    private void arrive(int to, int life, long delay, Receipt receipt) {
        at(delay, () -> {
            ClassicNode node = nodes[to];
            if (node == null || lives[to] != life) {
                return;
            }
            if (nowNanos < pausedUntilNanos[to]) {
                arrive(to, life, pausedUntilNanos[to] - nowNanos, receipt);
            } else {
                node.nowNanos = nowNanos;
                receipt.by(node);
            }
        });
    }

    // ---- time ----

    void at(long nanosFromNow, Runnable what) {
        happenings.add(new Happening(nowNanos + nanosFromNow, serial++, what));
    }

    void runFor(long nanos) {
        long until = nowNanos + nanos;
        for (long next = nextNanos(); next <= until; next = nextNanos()) {
            nowNanos = Math.max(nowNanos, next);
            Happening happening = happenings.peek();
            if (happening != null && happening.atNanos <= nowNanos) {
                happenings.poll();
                happening.what.run();
            } else {
                tick();
            }
        }
        nowNanos = until;
    }

    private void tick() {
        for (ClassicNode node : nodes) {
            if (node != null && wakeAtNanos(node) <= nowNanos) {
                node.nowNanos = nowNanos;
                node.tick();
            }
        }
    }

    private long nextNanos() {
        Happening happening = happenings.peek();
        long next = happening == null ? Long.MAX_VALUE : happening.atNanos;
        for (ClassicNode node : nodes) {
            next = node == null ? next : Math.min(next, wakeAtNanos(node));
        }
        return next;
    }

    private long wakeAtNanos(ClassicNode node) {
        return Math.max(node.wakeAtNanos(), pausedUntilNanos[node.id]);
    }

    // ---- what is seen ----

    private void counted() {
        List<Integer> leaders = leaders();
        if (leaders.size() > 1 && severalSinceNanos == Long.MAX_VALUE) {
            severalSinceNanos = nowNanos;
            note("!! " + leaders.size() + " LEADERS AT ONCE: "
                    + String.join(", ", leaders.stream().map(ClassicWorld::name).toList()));
        } else if (leaders.size() < 2 && severalSinceNanos < Long.MAX_VALUE) {
            severalNanos += nowNanos - severalSinceNanos;
            longestNanos = longestNanos();
            note("one leader at most again, after " + seconds(nowNanos - severalSinceNanos) + " s");
            severalSinceNanos = Long.MAX_VALUE;
        }
    }

    void note(String what) {
        if (writes) {
            transcript.add(String.format(Locale.ROOT, "%8s  %s", seconds(nowNanos), what));
        }
    }

    private String names(int which) {
        List<String> names = new ArrayList<>();
        for (int id = 0; id < nodes.length; id++) {
            if (side[id] == which) {
                names.add(name(id));
            }
        }
        return String.join(" ", names);
    }

    static String name(int id) {
        return "n" + (id + 1);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e9);
    }

    private static String text(OrderMessage message) {
        if (message instanceof OrderMessage.Token token) {
            List<String> standing = new ArrayList<>();
            for (int id = 0; id < Long.SIZE; id++) {
                if ((token.standing() & 1L << id) != 0) {
                    standing.add(name(id));
                }
            }
            String kind = token.announcing() ? "LEADER IS " + standing.get(standing.size() - 1) + " of " : "TOKEN ";
            return kind + String.join(" ", standing) + " (started by " + name(token.starter()) + ")";
        }
        return message.getClass().getSimpleName().toUpperCase(Locale.ROOT);
    }
}
