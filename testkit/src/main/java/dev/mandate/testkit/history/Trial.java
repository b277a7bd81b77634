package dev.mandate.testkit.history;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.FaultProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * Three candidate processes on one election of a real server, each behind its own {@link FaultProxy}, and the faults
 * they meet. In the end everything is healed, and {@link HistoryCheck} judges what they wrote down.
 *
 * <pre>{@code
 * try (Trial trial = Trial.of("127.0.0.1", port, proxied -> "etcd://127.0.0.1:" + proxied, "some-election")) {
 *     long term = trial.term();
 *     TrialNode leader = trial.leader();
 *     leader.freeze();
 *     trial.awaitTermAfter(term);
 *     leader.thaw();
 *     trial.healAndCheck();
 * }
 * }</pre>
 *
 * <p>Many trials may run side by side; each is used by one thread.
 */
public final class Trial implements AutoCloseable {
    private static final int CANDIDATES = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long AGREED_NANOS = 1_000_000_000L;
    private static final Set<EventKind> VIEWS = EnumSet.range(EventKind.SEES_LEADER, EventKind.SEES_UNKNOWN);

    private final Path folder;
    private final String election;
    private final HistoryLog log;
    private final HistoryReader history;
    private final List<TrialNode> nodes = new ArrayList<>();

    private Trial(Path folder, String election) throws IOException {
        this.folder = folder;
        this.election = election;
        this.log = new HistoryLog(folder, "trial", 0);
        this.history = new HistoryReader(folder);
    }

    /**
     * Starts the candidates, and waits until one leads.
     *
     * @param host where the server is
     * @param port where it listens
     * @param url the URL of the store for a client that connects to the given port of 127.0.0.1
     * @param election its name, not used by anybody else
     */
    public static Trial of(String host, int port, IntFunction<String> url, String election) throws IOException {
        return of(host, port, url, election, Map.of());
    }

    /** The same, with {@code environment} added to that of the candidates. */
    public static Trial of(
            String host, int port, IntFunction<String> url, String election, Map<String, String> environment)
            throws IOException {
        List<TrialSeat> seats = new ArrayList<>();
        for (int i = 0; i < CANDIDATES; i++) {
            FaultProxy proxy = FaultProxy.to(host, port);
            seats.add(new TrialSeat(
                    "c" + i, () -> url.apply(proxy.port()), List.of(), environment, new TrialSeat.Proxied(proxy)));
        }
        return of(seats, election);
    }

    /**
     * Starts candidates with their own networks, and waits until one leads.
     *
     * @param election its name, not used by anybody else
     */
    public static Trial of(List<TrialSeat> seats, String election) throws IOException {
        Trial trial = new Trial(Files.createTempDirectory("mandate-trial-"), election);
        try {
            for (TrialSeat seat : seats) {
                trial.nodes.add(new TrialNode(election, seat, trial.folder, trial.log));
            }
            trial.startMissing();
            trial.awaitTermAfter(Long.MIN_VALUE);
            return trial;
        } catch (RuntimeException | AssertionError e) {
            trial.close();
            throw e;
        }
    }

    /** Starts the candidates that were killed, and waits until they are up. */
    public void startMissing() {
        List<TrialNode> missing =
                nodes.stream().filter(node -> !node.isRunning()).toList();
        if (missing.isEmpty()) {
            return;
        }
        StartTurn.run(() -> {
            missing.forEach(TrialNode::start);
            missing.forEach(TrialNode::awaitUp);
        });
    }

    /** The name of the election. */
    public String election() {
        return election;
    }

    /** The candidates. */
    public List<TrialNode> nodes() {
        return List.copyOf(nodes);
    }

    /** The last candidate that believed; its term may be over by now. */
    public TrialNode leader() {
        return node(newest().orElseThrow());
    }

    /** The candidates other than {@link #leader()}. */
    public List<TrialNode> followers() {
        TrialNode leader = leader();
        return nodes.stream().filter(node -> node != leader).toList();
    }

    /** The token of the newest term that anybody believed. */
    public long term() {
        return newest().orElseThrow().token();
    }

    /** Waits until somebody believes a term with a larger token, and returns that candidate. */
    public TrialNode awaitTermAfter(long token) {
        return Await.value(
                "a term after " + token,
                PATIENCE,
                () -> newest().filter(b -> b.token() > token).map(this::node));
    }

    /** The bound that the candidates promise, from the death of a leader to the next one. */
    public Duration failoverAtMost() {
        return new HistoryCheck(events()).failoverAtMost();
    }

    /** When the newest term was believed for the first time, by {@link System#nanoTime()}. */
    public long begunNanos() {
        return newest().orElseThrow().from();
    }

    /** Something that is done to the store by hand. */
    @FunctionalInterface
    public interface Intrusion {
        /** Does it. */
        void happen() throws Exception;
    }

    /**
     * Lets an operator free or destroy something by hand. Until {@code overlapAtMost} afterwards, two may believe.
     *
     * @throws Exception as {@code intrusion} does
     */
    public void override(Duration overlapAtMost, Intrusion intrusion) throws Exception {
        intrude(EventKind.OVERRIDDEN, overlapAtMost, intrusion);
    }

    /**
     * Makes the store lose all its data, once every candidate has seen the newest term. Until {@code overlapAtMost}
     * afterwards, two may believe. Candidates that start later never saw the earlier tokens, and may get smaller ones.
     *
     * @throws Exception as {@code intrusion} does
     */
    public void empty(Duration overlapAtMost, Intrusion intrusion) throws Exception {
        Await.until("all to see the newest term, as " + folder + " tells", PATIENCE, this::isSeenByAll);
        intrude(EventKind.EMPTIED, overlapAtMost, intrusion);
    }

    private boolean isSeenByAll() {
        long newest = term();
        List<Event> told = events();
        return nodes.stream()
                .allMatch(node -> told.stream()
                        .anyMatch(event -> event.node().equals(node.toString())
                                && event.kind() == EventKind.SEES_LEADER
                                && event.number() >= newest));
    }

    private void intrude(EventKind kind, Duration overlapAtMost, Intrusion intrusion) throws Exception {
        long before = System.nanoTime();
        try {
            intrusion.happen();
        } finally {
            log.tell(before, kind, System.nanoTime() - before + overlapAtMost.toNanos(), "");
        }
    }

    /**
     * Records that nobody could reach the store from {@code nanos}, by {@link System#nanoTime()}, until now, nor in the
     * lease before that: any belief or claim in that time is an objection. Call it before anything is healed.
     */
    public void unreachableSince(long nanos) {
        log.tell(nanos, EventKind.UNREACHABLE, System.nanoTime() - nanos, "");
    }

    /**
     * Heals all networks, thaws and starts all candidates, waits until all agree on a leader, closes all clients, and
     * judges the history. The server must answer by now. The bound for a leader counts from here, or, if no candidate
     * runs, from when they are up.
     *
     * @throws AssertionError with all objections, and with the folder that then keeps the history
     */
    public Verdict healAndCheck() throws IOException {
        for (TrialNode node : nodes) {
            if (node.isRunning()) {
                node.heal();
            } else {
                node.pass();
            }
        }
        if (nodes.stream().noneMatch(TrialNode::isRunning)) {
            startMissing();
        }
        tell(EventKind.HEALED, 0);
        long healed = System.nanoTime();
        startMissing();
        log.tell(awaitAgreement(healed), EventKind.SETTLED, 0, "");
        nodes.forEach(node -> node.finish(PATIENCE));
        HistoryCheck check = new HistoryCheck(events());
        List<String> found = check.all();
        if (!found.isEmpty()) {
            throw new AssertionError(
                    found.size() + " objections to the history in " + folder + ": " + String.join("; ", found));
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        return new Verdict(check.terms(), check.recovery().orElseThrow(), check.recoveryAtMost());
    }

    /**
     * Waits until all agree for a while, because news under way may still show a former state. Returns an instant at
     * which they agreed: on a busy machine, that leader may have lost its lease by now.
     */
    private long awaitAgreement(long healed) {
        long[] since = {System.nanoTime()};
        List<Belief> agreedOn = new ArrayList<>();
        try {
            Await.until("all to agree on a leader for a second, as " + folder + " tells", PATIENCE, () -> {
                long now = System.nanoTime();
                Optional<Belief> agreed = agreedSince(healed);
                if (agreed.isEmpty() || agreedOn.isEmpty()) {
                    since[0] = now;
                    agreedOn.clear();
                    agreed.ifPresent(agreedOn::add);
                }
                return !agreedOn.isEmpty() && now - since[0] > AGREED_NANOS;
            });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + " since " + healed + "; " + disagreement(), e);
        }
        return agreedOn.get(0).to();
    }

    /** One line: the folder may be gone when somebody reads of the failure. */
    private String disagreement() {
        List<String> told = new ArrayList<>();
        told.add("the newest belief is " + newest().map(Belief::toString).orElse("none"));
        for (TrialNode node : nodes) {
            List<String> lines = node.process().log();
            told.add(node + (node.process().isAlive() ? "" : ", which has ended,") + " saw last "
                    + events().stream()
                            .filter(event -> event.node().equals(node.toString()) && VIEWS.contains(event.kind()))
                            .reduce((first, second) -> second)
                            .map(Event::toString)
                            .orElse("nothing")
                    + " and said last '" + (lines.isEmpty() ? "" : lines.get(lines.size() - 1)) + "'");
        }
        return String.join("; ", told);
    }

    /** The newest belief after {@code nanos}, if all saw its leader lead when it last believed; otherwise empty. */
    private Optional<Belief> agreedSince(long nanos) {
        // Read once: a belief that goes on meanwhile would end after the last known event.
        List<Event> events = new ArrayList<>(events());
        Optional<Belief> newest = newest(events).filter(belief -> belief.to() > nanos);
        if (newest.isEmpty()) {
            return newest;
        }
        events.add(new Event(newest.get().to(), "trial", 0, EventKind.SETTLED, 0, ""));
        return newest.filter(
                belief -> new HistoryCheck(events).everybodyAgreesOnceSettled().isEmpty());
    }

    private Optional<Belief> newest() {
        return newest(events());
    }

    private static Optional<Belief> newest(List<Event> events) {
        return Belief.of(events).stream().reduce((first, second) -> second);
    }

    private TrialNode node(Belief belief) {
        return nodes.stream()
                .filter(node -> belief.life().startsWith(node + "#"))
                .findFirst()
                .orElseThrow();
    }

    private List<Event> events() {
        try {
            return history.read();
        } catch (IOException e) {
            throw new AssertionError("the history in " + folder + " can't be read: " + e, e);
        }
    }

    private void tell(EventKind kind, long number) {
        log.tell(kind, number, "");
    }

    /** Kills what still runs. Keeps the history unless it was found good. */
    @Override
    public void close() throws IOException {
        for (TrialNode node : nodes) {
            node.close();
        }
        log.close();
    }
}
