package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.Order;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.history.Trial;
import dev.mandate.testkit.history.TrialSeat;
import dev.mandate.testkit.history.Verdict;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What happens to candidates that queue by {@link Order#ARRIVAL}, on a real server. To adopt it, extend it and name the
 * store. Each trial uses its own election; they run side by side where JUnit's
 * {@code junit.jupiter.execution.parallel.enabled} is set.
 *
 * <p>Candidates in this process have long leases: their turns are a fiftieth of a lease apart, so a busy machine does
 * not mix them up. Processes that are killed or frozen have short leases. Where changes are found by polling, the order
 * is only approximate: there the trials check the queue, not who leads next.
 */
public abstract class ArrivalTrials extends StoreTrialFixture {
    private static final int ROUNDS = 5;
    private static final int FREEZES = 10;
    private static final Duration PROBED_WITHIN = Duration.ofSeconds(5);

    /** Lost places are noticed after a fraction of it, yet turns are still far apart. */
    private static final Duration MEDIUM_LEASE = Duration.ofSeconds(20);

    /** For subclasses. */
    protected ArrivalTrials() {}

    private QueuedElection election(String what) {
        return new QueuedElection(named(what), store());
    }

    /** Requires that {@code next} leads where the order after a release is exact. */
    private void requireNext(String next, String expected) {
        if (store().tellsAtOnce()) {
            assertThat(next).as("who leads next").isEqualTo(expected);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void theOneThatWaitsLongestLeadsNext() {
        RecordKey prefix;
        try (QueuedElection election = election("resigned")) {
            prefix = election.prefix();
            election.comes("a");
            Deque<String> waiting = new ArrayDeque<>(List.of("b", "c", "d"));
            String leader = election.awaitLeader();
            // A candidate that shows in the queue has listed it before, so each knows its place.
            election.comeInTurn(List.of(), "b", "c", "d");
            for (int i = 0; i < ROUNDS; i++) {
                String former = leader;
                election.resigns(former);
                leader = election.awaitLeader();
                requireNext(leader, waiting.getFirst());
                assertThat(waiting.remove(leader)).isTrue();

                election.ended(former);
                election.comes(former);
                waiting.addLast(former);
                election.awaitQueue(List.copyOf(waiting));
                // A candidate that saw the winner's place vanish before it saw the win has tried in vain, and pauses.
                Await.passing(store().longLease().dividedBy(25));
            }
        }
        awaitNothingLeft(prefix);
    }

    /** Its place is removed; where observers judge, it stays listed for a while. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aKilledCandidateIsPassedOver() {
        try (QueuedElection election = election("killed")) {
            election.comes("a");
            String leader = election.awaitLeader();
            try (CandidateProcess first =
                    QueuedProcess.start(store().urlOfProcess(), election.name(), "first", PATIENCE)) {
                election.awaitQueue(List.of("first"));
                election.comeInTurn(List.of("first"), "b", "c");

                first.kill();
                long killed = System.nanoTime();
                awaitGone(election, killed, List.of("b", "c"));
                election.resigns(leader);
                requireNext(election.awaitLeader(), "b");
            }
        }
    }

    private void awaitGone(QueuedElection election, long sinceNanos, List<String> left) {
        if (traits().expiry() == Expiry.OBSERVER_JUDGES) {
            // A waiting candidate does not say what it knows. It lists every quarter of its lease, and takes another
            // for dead once two listings, a lease of that other apart, show it unchanged. Until then candidates may
            // disagree on places.
            Await.passing(store().lease().plus(store().longLease().dividedBy(2)));
            return;
        }
        election.awaitQueue(left);
        Duration took = Duration.ofNanos(System.nanoTime() - sinceNanos);
        say(election.name(), "place gone after " + took.toMillis() + " ms");
    }

    /** The failover bound and exclusion hold, whatever a crash does to the order. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aKilledLeaderIsFollowedByOneThatWaits() throws Exception {
        List<TrialSeat> seats = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String url = store().urlOfProcess() + "&order=arrival";
            seats.add(new TrialSeat("c" + i, () -> url, List.of(), Map.of(), new Undisturbed()));
        }
        String name = named("crash");
        try (ElectionClient observer = client("observer");
                Stalls stalls = new Stalls();
                Trial trial = Trial.of(seats, name)) {
            long term = trial.term();
            Await.until(
                    "two to queue",
                    PATIENCE,
                    () -> asked(observer.election(name)::queue).size() == 2);

            long stalled = stalls.nanos();
            trial.leader().kill();
            long killed = System.nanoTime();
            trial.awaitTermAfter(term);

            requireWithin(
                    name,
                    "followed",
                    Duration.ofNanos(trial.begunNanos() - killed),
                    trial.failoverAtMost(),
                    Duration.ofNanos(stalls.nanos() - stalled));
            Verdict verdict = trial.healAndCheck();
            say(name, verdict.toString());
            assertThat(verdict.terms()).as("terms that were believed").isGreaterThanOrEqualTo(2);
        }
    }

    /** Leaves the network alone. */
    private record Undisturbed() implements TrialSeat.Network {
        @Override
        public void pass() {}

        @Override
        public void close() {}
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aFrozenCandidateIsPassedOverAndTheLastOnceItIsThawed() throws Exception {
        RecordKey prefix;
        try (QueuedElection election = election("frozen")) {
            prefix = election.prefix();
            election.comes("a");
            String leader = election.awaitLeader();
            try (CandidateProcess first =
                    QueuedProcess.start(store().urlOfProcess(), election.name(), "first", PATIENCE)) {
                election.awaitQueue(List.of("first"));
                election.comeInTurn(List.of("first"), "b", "c");

                freezeOutsideOfWrites(first, election);
                awaitGone(election, System.nanoTime(), List.of("b", "c"));
                election.resigns(leader);
                String next = election.awaitLeader();
                requireNext(next, "b");
                String other = next.equals("b") ? "c" : "b";
                first.thaw();
                election.awaitQueue(List.of(other, "first"));

                election.goes(other);
                election.awaitQueue(List.of("first"));
                election.resigns(next);
                QueuedProcess.awaitLeading(first, PATIENCE);
                first.endInput();
                first.awaitExit(PATIENCE);
            }
        }
        awaitNothingLeft(prefix);
    }

    /** A process frozen in the middle of a write to a file blocks all other writers. */
    private static void freezeOutsideOfWrites(CandidateProcess process, QueuedElection election) throws Exception {
        for (int i = 0; i < FREEZES; i++) {
            process.freeze();
            Optional<Leadership> probe =
                    election.observer().election(election.name() + "-probe").campaign("x", PROBED_WITHIN);
            if (probe.isPresent()) {
                probe.get().close();
                return;
            }
            process.thaw();
        }
        throw new AssertionError("nobody can write while " + process + " is frozen, however often");
    }

    /** Its owner queues again, last: where places are numbered, behind the last number it knows of. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aPlaceThatIsDeletedByHandIsLost() throws Exception {
        RecordKey prefix;
        try (QueuedElection election = election("by-hand")) {
            prefix = election.prefix();
            election.comes("a");
            String leader = election.awaitLeader();
            election.comes("b", store().url(MEDIUM_LEASE));
            election.awaitQueue(List.of("b"));
            election.comeInTurn(List.of("b"), "c", "d");

            if (!traits().ordersTerms()) {
                // Waiting candidates list the queue every quarter of their lease, and then know the last number.
                Await.passing(MEDIUM_LEASE.dividedBy(2));
            }
            store().delete(election.place("b"));
            long deleted = System.nanoTime();
            election.awaitQueue(List.of("c", "d", "b"));
            Duration took = Duration.ofNanos(System.nanoTime() - deleted);
            say(election.name(), "again in the queue after " + took.toMillis() + " ms");
            election.resigns(leader);
            requireNext(election.awaitLeader(), "c");
        }
        awaitNothingLeft(prefix);
    }

    /** The candidates log it, and try last. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void withoutTheRightToQueueElectionsGoOn() throws Exception {
        String name = named("denied");
        TrialStore.Restricted restricted = orNotTried(name, store().restricted(RecordKey.QUEUES, MEDIUM_LEASE));
        try (AutoCloseable server = restricted.server();
                LoggedLines log = new LoggedLines("dev.mandate");
                ElectionClient a = queueing(restricted.url(), "a");
                ElectionClient b = queueing(restricted.url(), "b")) {
            Leadership first = leads(a, name);
            var second = b.election(name).campaignAsync("b").toCompletableFuture();
            String said = log.await(
                    "the missing right",
                    PATIENCE,
                    line -> line.contains(name)
                            && line.contains("tries last")
                            && restricted.words().stream().allMatch(line::contains));
            say(name, said);
            assertThat(second).isNotDone();

            first.close();
            Await.until("the second to lead", PATIENCE, second::isDone);
            assertThat(second.join().isValid()).isTrue();
            second.join().close();
            try (Leadership again = leads(a, name)) {
                assertThat(again.isValid()).isTrue();
            }
            assertThat(server).isNotNull();
        }
    }

    private static ElectionClient queueing(String url, String candidate) {
        return ElectionClient.builder(url)
                .candidate(candidate)
                .order(Order.ARRIVAL)
                .connectTimeout(PATIENCE)
                .connect();
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void whoLeadsOrGoesLeavesNoPlaceBehind() throws Exception {
        try (QueuedElection election = election("goes")) {
            election.comes("a");
            String leader = election.awaitLeader();
            election.comeInTurn(List.of(), "b", "c");
            assertThat(store().left(election.prefix())).hasSizeGreaterThanOrEqualTo(2);

            election.goes("b");
            election.awaitQueue(List.of("c"));
            election.resigns(leader);
            assertThat(election.awaitLeader()).isEqualTo("c");
            awaitNothingLeft(election.prefix());
        }
    }
}
