package dev.mandate.simulator.classic;

import dev.mandate.peers.order.OrderMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What happens in a world, in plain words: a line with the time in seconds for each event. One message to several nodes
 * is one line. Heartbeats and the confirmations of the ring's hops are left out.
 */
final class ClassicTranscript {
    private static final long OFF = Long.MIN_VALUE;

    /** A message and the nodes it was sent to at one instant. */
    private record Sending(long atNanos, int from, OrderMessage message, List<Integer> to, List<Integer> lost) {
        private Sending(long atNanos, int from, OrderMessage message) {
            this(atNanos, from, message, new ArrayList<>(), new ArrayList<>());
        }

        private boolean isOf(long at, int sender, OrderMessage what) {
            return atNanos == at && from == sender && message.equals(what);
        }
    }

    private final List<String> lines = new ArrayList<>();
    /** The newest token of each starter. */
    private final Map<Integer, Long> rounds = new HashMap<>();

    private long startNanos = OFF;
    private @Nullable Sending sending;

    /** Writes lines from now on, which is second 0. Before this call, nothing is written. */
    void begin(long nowNanos) {
        startNanos = nowNanos;
    }

    /** The lines so far. */
    List<String> lines() {
        flush();
        return List.copyOf(lines);
    }

    /** The name of a node: {@code n1} for 0. */
    static String name(int id) {
        return "n" + (id + 1);
    }

    static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e9);
    }

    /** {@code n1, n2 and n3}. */
    static String names(List<Integer> ids) {
        List<String> names = ids.stream().map(ClassicTranscript::name).toList();
        int last = names.size() - 1;
        return last < 1
                ? String.join("", names)
                : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
    }

    // ---- events ----

    void starts(long now, int id) {
        if (isOn()) {
            add(now, name(id) + " starts again");
        }
    }

    void crashes(long now, int id) {
        if (isOn()) {
            add(now, name(id) + " dies");
        }
    }

    void pauses(long now, int id, long nanos) {
        if (isOn()) {
            add(now, name(id) + " is paused for " + seconds(nanos) + " s");
        }
    }

    void wakes(long now, int id) {
        if (isOn()) {
            add(now, name(id) + " wakes up, and handles the messages that waited");
        }
    }

    void splits(long now, int[] side) {
        if (isOn()) {
            add(now, "the network splits: " + names(on(side, 1)) + " | " + names(on(side, 0)));
        }
    }

    private static List<Integer> on(int[] side, int which) {
        return IntStream.range(0, side.length)
                .filter(id -> side[id] == which)
                .boxed()
                .toList();
    }

    void heals(long now) {
        if (isOn()) {
            add(now, "the network heals");
        }
    }

    void misses(long now, int id, int leader) {
        if (isOn()) {
            String whose = leader == ClassicNode.NOBODY ? "any leader" : name(leader);
            add(now, name(id) + " has heard nothing from " + whose + " for 2 s, and starts an election");
        }
    }

    void believes(long now, int id, int leader, boolean byHeartbeat) {
        if (!isOn()) {
            return;
        } else if (id == leader) {
            add(now, "* " + name(id) + " BELIEVES THAT IT LEADS");
        } else {
            String heard = byHeartbeat ? " hears " + name(leader) + "'s heartbeat, and" : "";
            add(now, name(id) + heard + " follows " + name(leader));
        }
    }

    /** Several lead from now on, or did for {@code lasted} nanoseconds until now. */
    void counts(long now, List<Integer> leaders, long lasted) {
        if (isOn()) {
            add(
                    now,
                    leaders.size() > 1
                            ? "!! TWO LEADERS AT ONCE: " + names(leaders)
                            : "!! only " + names(leaders) + " leads again: two led at once for " + seconds(lasted)
                                    + " s");
        }
    }

    void sends(long now, int from, int to, OrderMessage message, boolean arrives) {
        if (isOn() && !(message instanceof OrderMessage.TokenArrived)) {
            Sending current = sending;
            if (current == null || !current.isOf(now, from, message)) {
                flush();
                current = new Sending(now, from, message);
                sending = current;
            }
            (arrives ? current.to : current.lost).add(to);
        }
    }

    // ---- lines ----

    private boolean isOn() {
        return startNanos != OFF;
    }

    private void add(long now, String what) {
        flush();
        write(now, what);
    }

    private void flush() {
        Sending done = sending;
        sending = null;
        if (done != null) {
            write(done.atNanos, "    " + text(done));
        }
    }

    /** Skips a line that repeats the last one. */
    private void write(long at, String what) {
        String line = String.format(Locale.ROOT, "%8s  %s", seconds(at - startNanos), what);
        if (lines.isEmpty() || !lines.get(lines.size() - 1).equals(line)) {
            lines.add(line);
        }
    }

    private String text(Sending sending) {
        List<Integer> all = new ArrayList<>(sending.to);
        all.addAll(sending.lost);
        String text = text(sending.from, names(all), sending.message);
        if (sending.lost.isEmpty()) {
            return text;
        } else if (sending.to.isEmpty() && all.size() > 1) {
            return text + "; none of them gets it";
        }
        return text + "; " + names(sending.lost) + (sending.lost.size() == 1 ? " does not get it" : " do not get it");
    }

    private String text(int sender, String to, OrderMessage message) {
        String from = name(sender);
        if (message instanceof OrderMessage.Token token) {
            return from + (token.announcing() ? announcement(sender, to, token) : collection(sender, to, token));
        } else if (message instanceof OrderMessage.Election) {
            return from + " asks " + to + " \"are you alive?\" (ELECTION)";
        } else if (message instanceof OrderMessage.Alive) {
            return from + " answers " + to + " \"I am alive\" (ALIVE)";
        } else if (message instanceof OrderMessage.Coordinator) {
            return from + " tells " + to + " \"I lead\" (COORDINATOR)";
        }
        return from + " sends " + to + " " + message.getClass().getSimpleName();
    }

    private String collection(int sender, String to, OrderMessage.Token token) {
        if (sender == token.starter()) {
            Long before = rounds.put(sender, token.round());
            return (before == null || before == token.round() ? " sends its token to " : " sends a new token to ") + to;
        }
        List<Integer> collected = LongStream.range(0, Long.SIZE)
                .filter(id -> (token.campaigning() & 1L << id) != 0)
                .mapToObj(id -> (int) id)
                .toList();
        return " adds itself to " + name(token.starter()) + "'s token, and passes it to " + to + " (so far "
                + names(collected) + ")";
    }

    private static String announcement(int sender, String to, OrderMessage.Token token) {
        int leader = ClassicNode.highest(token);
        if (sender != token.starter()) {
            return " passes on to " + to + " \"" + name(leader) + " leads\"";
        }
        String who = leader == sender ? "I lead" : name(leader) + " leads";
        return " has its token back, and tells " + to + " \"" + who + "\"";
    }
}
