package dev.mandate.camel;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;

/**
 * Three nodes, each in a process of its own, and files that come all the time. A trial kills the leader, cuts it off
 * from its store, freezes it or stops it gracefully, and waits until another one consumes.
 */
final class FileTrials implements AutoCloseable {
    private static final Duration PLENTY = Duration.ofSeconds(120);
    private static final int NODES = 3;
    private static final int FILES_BEFORE = 5;

    private final String way;
    private final TrialPlace place;
    private final Path temp;
    private final Path inbox;
    private final FileLog log = new FileLog();
    private final Set<String> files = new ConcurrentSkipListSet<>();
    private final Map<Fault, List<String>> ended = new EnumMap<>(Fault.class);
    private final List<Node> nodes = new ArrayList<>();
    private final Thread feeder = new Thread(this::feed, "feeder");
    private volatile boolean isFed = true;

    /** What happens to the leader. */
    enum Fault {
        KILLED,
        CUT_OFF,
        STOPPED,
        FROZEN
    }

    /** A store, as seen by each node. */
    interface TrialPlace {
        String url(int node) throws Exception;

        /** The node gets no answers, or nobody. */
        void cutOff(int node) throws Exception;

        void heal(int node) throws Exception;
    }

    /** A node and its present process. */
    private static final class Node {
        final int number;
        int lives;
        CandidateProcess process;

        Node(int number) {
            this.number = number;
        }

        String life() {
            return number + "." + lives;
        }

        boolean leads() {
            return process.lines().stream()
                    .map(l -> l.substring(l.indexOf(' ') + 1))
                    .filter(l -> l.startsWith("leads "))
                    .reduce((a, b) -> b)
                    .equals(Optional.of("leads true"));
        }

        long begun() {
            return process.lines().stream().filter(l -> l.contains(" begin ")).count();
        }
    }

    FileTrials(String way, TrialPlace place, Path temp) throws IOException {
        this.way = way;
        this.place = place;
        this.temp = temp;
        this.inbox = Files.createDirectories(temp.resolve("inbox"));
    }

    void run(int trials, List<Fault> faults) throws Exception {
        feeder.setDaemon(true);
        feeder.start();
        for (int i = 0; i < NODES; i++) {
            nodes.add(new Node(i));
            start(nodes.get(i));
        }
        for (int i = 0; i < trials; i++) {
            trial(faults.get(i % faults.size()));
        }
        isFed = false;
        feeder.join();
        Await.until("the folder to be empty", PLENTY, () -> waiting() == 0);
        for (Node node : nodes) {
            stop(node);
        }
        log.check(files);
    }

    private void trial(Fault fault) throws Exception {
        Node leader = Await.value("a leader that consumes", PLENTY, this::consuming);
        String life = leader.life();
        switch (fault) {
            case KILLED -> {
                leader.process.kill();
                record(leader, true);
                awaitAnother(leader);
                start(leader);
            }
            case STOPPED -> {
                stop(leader);
                awaitAnother(leader);
                start(leader);
            }
            case CUT_OFF -> {
                place.cutOff(leader.number);
                Await.until("the leader to stop", PLENTY, () -> !leader.leads());
                place.heal(leader.number);
            }
            case FROZEN -> {
                leader.process.freeze();
                awaitAnother(leader);
                leader.process.thaw();
                Await.until("the leader to stop", PLENTY, () -> !leader.leads());
                // What it was in the middle of may have been redone: its life ends here for the record.
                leader.process.kill();
                record(leader, true);
                start(leader);
            }
        }
        ended.computeIfAbsent(fault, f -> new ArrayList<>()).add(life);
    }

    private Optional<Node> consuming() {
        nodes.stream().filter(n -> !n.process.isAlive()).findFirst().ifPresent(n -> {
            throw new AssertionError("node " + n.life() + " ended by itself: " + n.process.log());
        });
        return nodes.stream()
                .filter(n -> n.process.isAlive() && n.leads() && n.begun() >= FILES_BEFORE)
                .findFirst();
    }

    private void awaitAnother(Node former) {
        Map<Node, Long> before = new IdentityHashMap<>();
        nodes.forEach(n -> before.put(n, n.begun()));
        Await.until(
                "another one to consume",
                PLENTY,
                () -> nodes.stream().anyMatch(n -> n != former && n.process.isAlive() && n.begun() > before.get(n)));
    }

    private void start(Node node) throws Exception {
        node.lives++;
        node.process = CandidateProcess.java(
                        ClusterNode.class, way, node.life(), place.url(node.number), inbox.toString())
                .named("node " + node.life())
                .start();
    }

    private void record(Node node, boolean isKilled) {
        log.add(node.life(), node.process.lines(), isKilled, way.equals("master"));
    }

    private void stop(Node node) {
        node.process.terminate();
        node.process.awaitExit(PLENTY);
        record(node, false);
    }

    private void feed() {
        for (int i = 0; isFed; i++) {
            String name = String.format("f%06d", i);
            try {
                if (waiting() < 200) {
                    Path file = Files.writeString(temp.resolve(name), name);
                    files.add(name);
                    Files.move(file, inbox.resolve(name), StandardCopyOption.ATOMIC_MOVE);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Await.passing(Duration.ofMillis(25));
        }
    }

    private long waiting() throws IOException {
        try (Stream<Path> all = Files.list(inbox)) {
            return all.filter(Files::isRegularFile).count();
        }
    }

    /** How many files there were, how many were begun again, and how long a fault kept files waiting. */
    String summary() {
        StringBuilder text = new StringBuilder(files.size() + " files, " + log.redone() + " redone");
        ended.forEach((fault, lives) -> {
            if (fault == Fault.KILLED || fault == Fault.STOPPED) {
                List<Long> times = lives.stream().map(log::nanosAfter).sorted().toList();
                text.append(", ")
                        .append(fault)
                        .append(" ")
                        .append(times.size())
                        .append(" times, p50 ")
                        .append(times.get(times.size() / 2) / 1_000_000)
                        .append(" ms");
            } else {
                text.append(", ").append(fault).append(" ").append(lives.size()).append(" times");
            }
        });
        return text.toString();
    }

    @Override
    public void close() {
        isFed = false;
        nodes.stream().filter(n -> n.process != null).forEach(n -> n.process.close());
    }
}
