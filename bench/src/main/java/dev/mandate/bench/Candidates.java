package dev.mandate.bench;

import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.StoreUnavailableException;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Candidates of one election, in this process. One that resigned campaigns again at once. */
final class Candidates implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** The pause between hand-overs, so that the store is done with the one before. */
    private static final int PAUSE_MILLIS_MAX = 30;

    /** How many candidates a small machine notifies in a millisecond. */
    private static final int CANDIDATES_A_MILLISECOND = 2;

    private final String name;
    private final List<ElectionClient> clients;
    private final @Nullable Election queue;
    private final LinkedBlockingQueue<Win> wins = new LinkedBlockingQueue<>();
    private Win leader;

    private record Win(int candidate, Leadership leadership, long atNanos) {}

    /**
     * Returns once all of them campaign and one leads.
     *
     * @param clients one for each candidate, closed with this; without a cool-down
     * @param queue if candidates queue, the election as another client sees it: each hand-over waits until all have
     *     queued; else null
     */
    Candidates(String name, List<ElectionClient> clients, @Nullable Election queue) throws InterruptedException {
        this.name = name;
        this.clients = clients;
        this.queue = queue;
        campaign(0);
        leader = next();
        // One after the other: the requests of many that start at once are not part of a hand-over.
        for (int i = 1; i < clients.size(); i++) {
            campaign(i);
            awaitFollower(i, System.nanoTime() + PATIENCE.toNanos());
        }
    }

    static void pause() throws InterruptedException {
        Thread.sleep(ThreadLocalRandom.current().nextInt(PAUSE_MILLIS_MAX));
    }

    /** Waits until all have been notified of the last hand-over. */
    void rest() throws InterruptedException {
        Thread.sleep(clients.size() / CANDIDATES_A_MILLISECOND);
    }

    /** The index of the leader, from 0. */
    int leader() {
        return leader.candidate();
    }

    /**
     * Hands over; returns the nanoseconds from the leader's resignation to the next win. First waits until all others
     * follow, and have queued if they do.
     */
    long handOver() throws InterruptedException {
        awaitFollowers();
        rest();
        pause();
        long before = System.nanoTime();
        leader.leadership().resign();
        Win next = next();
        leader.leadership().close();
        campaign(leader.candidate());
        leader = next;
        return next.atNanos() - before;
    }

    private void campaign(int candidate) {
        election(candidate)
                .campaignAsync(clients.get(candidate).candidate())
                .thenAccept(won -> wins.add(new Win(candidate, won, System.nanoTime())));
    }

    private Election election(int candidate) {
        return clients.get(candidate).election(name);
    }

    private Win next() throws InterruptedException {
        Win win = wins.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (win == null) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    "nobody took over within " + PATIENCE.toSeconds() + " s after a resignation from " + name);
        }
        return win;
    }

    /** Waits until every other candidate knows the leader and has its place: only then does it await a vacancy. */
    void awaitFollowers() throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (int i = 0; i < clients.size(); i++) {
            if (i != leader.candidate()) {
                awaitFollower(i, deadline);
            }
        }
        int others = clients.size() - 1;
        for (int queued = queued(others); queued < others; queued = queued(others)) {
            requireBefore(deadline, "not all waiting candidates had a place in the queue", queued + " of " + others);
            Thread.sleep(1);
        }
    }

    private void awaitFollower(int candidate, long deadline) throws InterruptedException {
        while (!follows(election(candidate))) {
            requireBefore(
                    deadline,
                    clients.get(candidate).candidate() + " did not follow the leader",
                    election(candidate).status());
            Thread.sleep(1);
        }
    }

    private int queued(int unlessAny) {
        if (queue == null) {
            return unlessAny;
        }
        try {
            return queue.queue().size();
        } catch (StoreUnavailableException e) {
            // Many candidates keep a small server busy; the caller asks again.
            return 0;
        }
    }

    private static void requireBefore(long deadline, String what, Object found) {
        if (System.nanoTime() - deadline > 0) {
            throw new Failure(ExitCode.UNAVAILABLE, what + " within " + PATIENCE.toSeconds() + " s: " + found);
        }
    }

    private boolean follows(Election election) {
        return election.status().state() == CandidacyStatus.State.FOLLOWING
                && election.view()
                        .leader()
                        .filter(l -> l.token().equals(leader.leadership().fencingToken()))
                        .isPresent();
    }

    @Override
    public void close() {
        // The others first, or one of them would win.
        for (int i = 0; i < clients.size(); i++) {
            if (i != leader.candidate()) {
                clients.get(i).close();
            }
        }
        leader.leadership().close();
        clients.get(leader.candidate()).close();
    }
}
