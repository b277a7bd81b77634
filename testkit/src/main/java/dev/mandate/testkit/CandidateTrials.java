package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.history.FullCommonPool;
import dev.mandate.testkit.history.Trial;
import dev.mandate.testkit.history.TrialNode;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What happens to candidates and their networks, with three processes on a real server in each trial; every history is
 * judged. To adopt it, extend it and name the server. Trials share the server, with an election each, and run side by
 * side where JUnit's {@code junit.jupiter.execution.parallel.enabled} is set.
 */
public abstract class CandidateTrials extends TrialFixture {
    private static final int CUTS = 20;
    private static final int ROUNDS = 3;
    private static final int LOST = 6;
    private static final int LINES_MAX = 60;

    /** Of one core. A busy loop takes all of one. */
    private static final double PROCESSOR_SHARE_MAX = 0.2;

    /** For subclasses. */
    protected CandidateTrials() {}

    /** The port of the server on the loopback address. */
    protected abstract int port();

    /**
     * Takes away, as an operator would, what keeps the leader of {@code election} alive: revokes its lease, destroys
     * its session, breaks its record's lease. Called only while there is a leader.
     */
    protected abstract void revoke(String election) throws Exception;

    /** How long to wait until a lease is certainly over; twice the lease, unless the store takes longer. */
    protected Duration longerThanTheLease() {
        return lease().multipliedBy(2);
    }

    private Trial begin(String what) throws IOException {
        return begin(what, port());
    }

    /**
     * The bound assumes timely answers, which a busy machine does not grant: this test prints it, the simulator proves
     * it, and {@code mandate bench} measures it.
     */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aKilledLeaderIsFollowed() throws Exception {
        try (Trial trial = begin("killed")) {
            long term = trial.term();
            long killed = System.nanoTime();
            trial.leader().kill();
            trial.awaitTermAfter(term);
            Duration took = Duration.ofNanos(trial.begunNanos() - killed);
            say(
                    trial,
                    "followed after " + took.toMillis() + " ms, bound "
                            + trial.failoverAtMost().toMillis() + " ms");
            requireTerms(trial, 2);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void candidatesDoNotNeedTheCommonPool() throws Exception {
        try (Trial trial = begin("pool", port(), FullCommonPool.environment())) {
            long term = trial.term();
            trial.leader().kill();
            trial.awaitTermAfter(term);
            requireTerms(trial, 2);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aFrozenLeaderIsFollowedAndBelievesNothingOnceItIsThawed() throws Exception {
        try (Trial trial = begin("frozen")) {
            long term = trial.term();
            TrialNode leader = trial.leader();
            leader.freeze();
            trial.awaitTermAfter(term);
            Await.passing(longerThanTheLease());
            leader.thaw();
            requireTerms(trial, 2);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aLeaderThatResignsStopsFirst() throws Exception {
        try (Trial trial = begin("resigned")) {
            for (int i = 0; i < ROUNDS; i++) {
                long term = trial.term();
                trial.leader().resign();
                trial.awaitTermAfter(term);
            }
            requireTerms(trial, ROUNDS + 1);
        }
    }

    /** The leader is told, or finds out with its next renewal, and believes for no longer than a lease. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aLeaderThatIsDeposedByHandIsFollowed() throws Exception {
        try (Trial trial = begin("by-hand")) {
            for (int i = 0; i < ROUNDS; i++) {
                long term = trial.term();
                trial.override(lease(), () -> revoke(trial.election()));
                trial.awaitTermAfter(term);
            }
            requireTerms(trial, ROUNDS + 1);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aLeaderWhoseAnswersAreLostIsFollowed() throws Exception {
        cutOff("answers", trial -> trial.leader().network().blackHole(Direction.TO_CLIENT));
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aLeaderWhoseRequestsAreLostIsFollowed() throws Exception {
        cutOff("requests", trial -> trial.leader().network().blackHole(Direction.TO_SERVER));
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aLeaderThatIsCutOffIsFollowed() throws Exception {
        cutOff("cut-off", trial -> trial.leader().network().blackHole());
    }

    /** Something that happens to the network of a leader. */
    private interface Cut {
        void befall(Trial trial) throws IOException;
    }

    private void cutOff(String what, Cut cut) throws IOException {
        try (Trial trial = begin(what)) {
            long term = trial.term();
            cut.befall(trial);
            trial.awaitTermAfter(term);
            Await.passing(lease());
            requireTerms(trial, 2);
        }
    }

    /** Answers to acquires are lost again and again: candidates find out what happened; no two believe in one win. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void answersAreLostAfterWhatWasAskedIsDone() throws Exception {
        try (Trial trial = begin("lost")) {
            for (int i = 0; i < LOST; i++) {
                long term = trial.term();
                trial.followers().forEach(node -> node.network().loseAnswers(1));
                trial.leader().resign();
                trial.awaitTermAfter(term);
            }
            int lost = trial.nodes().stream()
                    .mapToInt(node -> node.network().cuts())
                    .sum();
            assertThat(lost).as("answers that were lost").isGreaterThanOrEqualTo(LOST);
            requireTerms(trial, LOST + 1);
        }
    }

    /** Requests and answers break off in the middle, again and again, for all candidates. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void connectionsAreResetInTheMiddleOfCalls() throws Exception {
        try (Trial trial = begin("reset")) {
            for (int i = 0; i < CUTS; i++) {
                for (TrialNode node : trial.nodes()) {
                    Direction direction =
                            ThreadLocalRandom.current().nextBoolean() ? Direction.TO_CLIENT : Direction.TO_SERVER;
                    node.network()
                            .cutAfter(direction, ThreadLocalRandom.current().nextInt(300));
                }
                Await.passing(lease().dividedBy(8));
            }
            requireTerms(trial, 1);
        }
    }

    /** Leadership may be lost, but is never believed by two. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void everyRoundTripTakesNinetyPercentOfTheLease() throws Exception {
        try (Trial trial = begin("slow")) {
            trial.nodes()
                    .forEach(node ->
                            node.network().delay(lease().multipliedBy(45).dividedBy(100)));
            Await.passing(lease().multipliedBy(4));
            requireTerms(trial, 1);
        }
    }

    /** Nobody can connect for long: candidates use little CPU, log little, claim nothing, and lead again afterwards. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void connectionsAreRefusedForLong() throws Exception {
        try (Trial trial = begin("refused")) {
            Spent begun = Spent.by(trial);
            for (TrialNode node : trial.nodes()) {
                node.network().refuse();
                node.network().reset();
            }
            Await.passing(longerThanTheLease());
            long silent = System.nanoTime();
            Spent before = Spent.by(trial);
            Duration refused = longerThanTheLease().multipliedBy(2);
            Await.passing(refused);
            Spent after = Spent.by(trial);
            trial.unreachableSince(silent);
            Duration spent = after.processor().minus(before.processor());
            say(
                    trial,
                    "connections refused for " + refused.toSeconds() + " s: " + spent.toMillis()
                            + " ms of processor time and " + (after.lines() - before.lines()) + " lines of "
                            + trial.nodes().size() + " processes");
            assertThat(after.lines() - begun.lines())
                    .as("lines of each")
                    .isLessThan((long) LINES_MAX * trial.nodes().size());
            assertThat((double) spent.toNanos()
                            / refused.toNanos()
                            / trial.nodes().size())
                    .as("share of a core that each took")
                    .isLessThan(PROCESSOR_SHARE_MAX);
            requireTerms(trial, 2);
        }
    }

    /** What all processes of a trial have used so far. */
    private record Spent(Duration processor, long lines) {
        static Spent by(Trial trial) {
            Duration processor = Duration.ZERO;
            long lines = 0;
            for (TrialNode node : trial.nodes()) {
                processor = processor.plus(node.process().processorTime());
                lines += node.process().log().size();
            }
            return new Spent(processor, lines);
        }
    }
}
