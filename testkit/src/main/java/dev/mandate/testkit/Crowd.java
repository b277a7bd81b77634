package dev.mandate.testkit;

import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.Leadership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Candidates of one election, and a thread that checks all the time whether two believe they lead. Closing it ends
 * their candidacies, and fails if two did. Safe for use from many threads.
 */
public final class Crowd implements AutoCloseable {
    /** Time for a busy machine, on top of the computed bound. */
    private static final Duration SLACK = Duration.ofSeconds(20);

    private final String election =
            "crowd-" + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
    private final List<ElectionClient> clients = new ArrayList<>();
    private final Believers believers = new Believers();
    private final Set<Leadership> terms = ConcurrentHashMap.newKeySet();
    private final AtomicReference<AssertionError> complaint = new AtomicReference<>();
    private final Thread looker = new Thread(this::look, "looker");
    private volatile boolean isOver;
    private volatile boolean isOverlapAllowed;

    /** A candidate for each of these store URLs. */
    public Crowd(String... urls) {
        for (String url : urls) {
            clients.add(ElectionClient.connect(url));
        }
        for (ElectionClient client : clients) {
            client.election(election).runWhileLeader(client.candidate(), this::lead);
        }
        looker.start();
    }

    /** Call it before a term is taken away by hand: until its holder notices, the next leader may believe, too. */
    public Crowd allowOverlap() {
        isOverlapAllowed = true;
        return this;
    }

    /** The election, used by nobody else. */
    public String election() {
        return election;
    }

    /** What the first candidate computes for its settings. */
    public Explanation explain() {
        return clients.get(0).explain();
    }

    private void lead(Leadership term) {
        try {
            believers.add(term);
        } catch (AssertionError e) {
            complaint.compareAndSet(null, e);
        }
        terms.add(term);
        while (term.isValid()) {
            LockSupport.parkNanos(2_000_000);
        }
    }

    private void look() {
        while (!isOver) {
            try {
                believers.requireOne();
            } catch (AssertionError e) {
                complaint.compareAndSet(null, e);
            }
            LockSupport.parkNanos(500_000);
        }
    }

    /** Fails if two believed they led at the same time, unless that is allowed. */
    public void requireNoComplaint() {
        AssertionError failure = complaint.get();
        if (failure != null && !isOverlapAllowed) {
            throw new AssertionError(failure.getMessage(), failure);
        }
    }

    /** Waits for a valid term, within the bound that the clients print. */
    public Leadership awaitLeader() {
        return awaitLeader(term -> true);
    }

    private Leadership awaitLeader(Predicate<Leadership> isWanted) {
        Duration bound = explain().recoveryAtMost().plus(explain().failoverAtMost());
        return Await.value("a leader", bound.plus(SLACK), () -> {
            requireNoComplaint();
            return terms.stream().filter(Leadership::isValid).filter(isWanted).findFirst();
        });
    }

    /** Waits for a term after that one. */
    public Leadership awaitNext(Leadership former) {
        return awaitLeader(
                term -> term.fencingToken().value() > former.fencingToken().value());
    }

    /** A valid term, if there is one. */
    public Optional<Leadership> leader() {
        return terms.stream().filter(Leadership::isValid).findFirst();
    }

    /** Waits until every candidate has seen that term: from then on each leads only with a larger token. */
    public void awaitSeen(Leadership term, Duration atMost) {
        Await.until(
                "all to see term " + term.fencingToken(),
                atMost,
                () -> clients.stream()
                        .allMatch(client -> client.election(election)
                                .view()
                                .leader()
                                .filter(leader -> leader.token().equals(term.fencingToken()))
                                .isPresent()));
    }

    /** Waits until a term is no longer believed. */
    public void awaitLoss(Leadership term, Duration atMost) {
        Await.until("the end of term " + term.fencingToken(), atMost, () -> !term.isValid());
    }

    @Override
    public void close() {
        isOver = true;
        clients.forEach(ElectionClient::close);
        requireNoComplaint();
    }
}
