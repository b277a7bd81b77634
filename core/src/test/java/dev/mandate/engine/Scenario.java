package dev.mandate.engine;

import dev.mandate.EndReason;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * A few candidates, one store and a network, driven by commands one can read; it says what happened in words one can
 * read. A request takes a millisecond to the store, and its reply one back. Nothing is drawn by chance.
 *
 * <p>Commands, one a line:
 *
 * <pre>
 * store removes|judges session|record [constant-vacancy] [settle] [hold] [watch]    a new store, without candidates
 * a campaigns VALUE a withdraws a resigns a proclaims VALUE a observes a closes a stops working a pauses a resumes the
 * process stands still; what arrives waits a loses requests a loses replies from now on; "a heals" ends both a sends
 * slowly the next write waits on its way; "a arrives" has it land a valid? what a caller's thread is told at this
 * instant operator deletes|evicts|ends the lease stranger writes LEASE store? run DURATION
 * </pre>
 */
final class Scenario {
    private static final RecordKey KEY = RecordKey.election("invoices");
    private static final long ONE_WAY = 1_000_000L;
    private static final long START_MILLIS = 1_767_225_600_000L;
    private static final int STEPS_MAX = 10_000;

    private final Map<String, Actor> actors = new TreeMap<>();
    private final PriorityQueue<Happening> network =
            new PriorityQueue<>(Comparator.comparingLong(Happening::atNanos).thenComparingLong(Happening::order));
    private final StringBuilder said = new StringBuilder();
    private StoreKind kind = StoreKind.REMOVES_RECORD;
    private TestServer server = new TestServer(kind.traits(), ModelOptions.DEFAULT);
    private Settle settle = Settle.AFTER_FOREIGN;
    private OverrunPolicy overrun = OverrunPolicy.RELEASE;
    private boolean watched;
    private long nanos;
    private long order;

    private record Happening(long atNanos, long order, Runnable what) {}

    /** One candidate, and what its host and its connection are like. */
    private final class Actor {
        final String name;
        final CandidateMachine machine;
        final Deque<Runnable> waiting = new ArrayDeque<>();
        boolean paused;
        boolean losesRequests;
        boolean losesReplies;
        boolean sendsSlowly;
        Action underWay;
        Term term;

        Actor(String name) {
            this.name = name;
            ElectionSettings settings = new ElectionSettings(
                    name,
                    new Id(name.charAt(0), 0),
                    Rig.TIMING,
                    kind.traits().expiry(),
                    kind.traits().leaseScope(),
                    Rig.TIMING.leaseNanos(),
                    0,
                    settle,
                    0,
                    overrun,
                    false);
            this.machine = new CandidateMachine(settings, new Named(name.charAt(0)));
        }

        boolean isValid() {
            return term != null && term.check(Scenario.this::now) == LeaseCell.Verdict.OPEN;
        }

        void on(ElectionEvent event) {
            happens(() -> machine.on(KEY, event, now()));
        }

        /** Has something happen to it, and tells what came of it. */
        void happens(java.util.function.Supplier<List<Action>> what) {
            if (paused) {
                waiting.add(() -> happens(what));
                return;
            }
            Role before = machine.role(KEY);
            List<Action> actions = what.get();
            Role after = machine.role(KEY);
            if (before.getClass() != after.getClass()) {
                say(
                        name,
                        "   " + before.getClass().getSimpleName() + " => "
                                + after.getClass().getSimpleName());
            }
            actions.forEach(this::done);
        }

        private void done(Action action) {
            if (Rig.isRequest(action)) {
                send(action);
            } else {
                if (action instanceof ElectionAction.Begin begin) {
                    term = begin.term();
                }
                say(name, "   " + Words.of(action));
            }
        }

        private void send(Action request) {
            say(name, "-> " + Words.of(request) + (losesRequests ? "   (lost)" : ""));
            if (losesRequests) {
                return;
            }
            boolean isWrite = request instanceof ElectionAction.Request && !(request instanceof ElectionAction.Read);
            if (sendsSlowly && isWrite) {
                sendsSlowly = false;
                underWay = request;
                return;
            }
            later(() -> land(request));
        }

        void land(Action request) {
            Observation before = stored();
            Answer answer = server.land(request, nanos, wallMillis());
            Observation after = stored();
            String changed = before == after ? "" : "   (the store shows " + Words.of(after) + ")";
            if (losesReplies) {
                say(name, "   reply lost" + changed);
            } else {
                later(() -> happens(() -> {
                    say(name, "<- " + Words.replied(request, answer, after));
                    return answer.deliver(machine, now());
                }));
            }
            if (before != after) {
                hint(after);
            }
        }
    }

    /** Identifiers that can be told apart by their owner, and no jitter. */
    private static final class Named implements Entropy {
        private final long owner;
        private long drawn;

        Named(long owner) {
            this.owner = owner;
        }

        @Override
        public long nextLong() {
            return owner << 32 | ++drawn;
        }

        @Override
        public long below(long bound) {
            return 0;
        }

        @Override
        public long jittered(long value) {
            return value;
        }
    }

    /** Does one command and says what happened. */
    String run(String command) {
        said.setLength(0);
        List<String> words = Arrays.asList(command.trim().split(" +"));
        switch (words.get(0)) {
            case "store" -> open(words.subList(1, words.size()));
            case "store?" -> say("store", Words.of(stored()));
            case "run" -> pass(duration(words.get(1)));
            case "operator" -> operate(words.get(1));
            case "stranger" -> {
                server.model.overwriteForeign(KEY, "stranger", Duration.ofNanos(duration(words.get(2))), nanos);
                changed();
            }
            default -> act(words);
        }
        return said.toString();
    }

    private void open(List<String> words) {
        boolean removes = words.get(0).equals("removes");
        boolean session = words.get(1).equals("session");
        kind = removes
                ? session ? StoreKind.REMOVES_SESSION : StoreKind.REMOVES_RECORD
                : session ? StoreKind.JUDGES_SESSION : StoreKind.JUDGES_RECORD;
        ModelOptions options = words.contains("constant-vacancy")
                ? ModelOptions.DEFAULT.with(ModelOptions.VacantBasis.CONSTANT)
                : ModelOptions.DEFAULT;
        server = new TestServer(kind.traits(), options);
        settle = words.contains("settle") ? Settle.ALWAYS : Settle.AFTER_FOREIGN;
        overrun = words.contains("hold") ? OverrunPolicy.HOLD : OverrunPolicy.RELEASE;
        watched = words.contains("watch");
        actors.clear();
        network.clear();
        nanos = 0;
    }

    private void operate(String what) {
        switch (what) {
            case "deletes" -> server.model.delete(KEY, nanos);
            case "ends" -> server.model.endLease(KEY, nanos);
            case "evicts" -> {
                Observation.Held held = (Observation.Held) stored();
                server.model.update(
                        held, held.record().withTerm(held.term()).askedToLeave(), Intent.ASK_TO_LEAVE, nanos);
            }
            default -> throw new IllegalArgumentException("an operator cannot " + what);
        }
        changed();
    }

    private void act(List<String> words) {
        Actor actor = actors.computeIfAbsent(words.get(0), Actor::new);
        String rest = words.size() > 2 ? words.get(2) : "";
        switch (words.get(1)) {
            case "campaigns" -> actor.on(new ElectionEvent.Campaign(rest));
            case "observes" -> actor.on(new ElectionEvent.Observe(true));
            case "withdraws" -> actor.on(new ElectionEvent.Withdraw(EndReason.WITHDRAWN));
            case "resigns" -> actor.on(new ElectionEvent.Resign(actor.term.number(), EndReason.RESIGNED));
            case "proclaims" -> actor.on(new ElectionEvent.Proclaim(1, actor.term.number(), rest));
            case "stops" -> actor.on(new ElectionEvent.WorkStopped(actor.term.number()));
            case "closes" -> actor.happens(() -> actor.machine.close(now()));
            case "valid?" -> say(actor.name, "   " + (actor.isValid() ? "valid" : "not valid"));
            case "pauses" -> actor.paused = true;
            case "resumes" -> {
                actor.paused = false;
                List<Runnable> waited = new ArrayList<>(actor.waiting);
                actor.waiting.clear();
                waited.forEach(Runnable::run);
            }
            case "loses" -> {
                actor.losesRequests |= rest.equals("requests");
                actor.losesReplies |= rest.equals("replies");
            }
            case "heals" -> {
                actor.losesRequests = false;
                actor.losesReplies = false;
            }
            case "sends" -> actor.sendsSlowly = true;
            case "arrives" -> actor.land(actor.underWay);
            default -> throw new IllegalArgumentException("a candidate cannot " + words.get(1));
        }
    }

    private void pass(long duration) {
        long until = nanos + duration;
        for (int steps = 0; ; steps++) {
            if (steps > STEPS_MAX) {
                throw new AssertionError("more than " + STEPS_MAX + " steps within " + duration + " ns");
            }
            Actor next = actors.values().stream()
                    .filter(a -> !a.paused)
                    .min(Comparator.comparingLong(a -> a.machine.wakeAtNanos()))
                    .orElse(null);
            long wake = next == null ? Long.MAX_VALUE : next.machine.wakeAtNanos();
            Happening first = network.peek();
            long arrival = first == null ? Long.MAX_VALUE : first.atNanos();
            if (Math.min(wake, arrival) > until) {
                nanos = until;
                return;
            }
            nanos = Math.max(nanos, Math.min(wake, arrival));
            if (first != null && arrival <= wake) {
                network.remove();
                first.what().run();
            } else if (next != null) {
                next.happens(() -> next.machine.tick(now()));
            }
        }
    }

    private void later(Runnable what) {
        network.add(new Happening(nanos + ONE_WAY, order++, what));
    }

    private void changed() {
        say("store", Words.of(stored()));
        hint(stored());
    }

    private void hint(Observation seen) {
        if (watched) {
            actors.values().forEach(a -> later(() -> a.on(new ElectionEvent.Hinted(seen))));
        }
    }

    private Observation stored() {
        return server.model.read(KEY, nanos);
    }

    private Now now() {
        return new Now(nanos, nanos, wallMillis());
    }

    private long wallMillis() {
        return START_MILLIS + nanos / 1_000_000;
    }

    private void say(String who, String what) {
        said.append(String.format(Locale.ROOT, "%7.3f  %s %s%n", nanos / 1e9, who, what));
    }

    private static long duration(String text) {
        return text.endsWith("ms")
                ? Long.parseLong(text.substring(0, text.length() - 2)) * 1_000_000
                : (long) (Double.parseDouble(text.substring(0, text.length() - 1)) * 1e9);
    }
}
