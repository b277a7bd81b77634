package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.history.Trial;
import dev.mandate.testkit.history.TrialNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What befalls candidates and their networks, with three processes on a real server each time; every history is judged. To adopt it, extend
 * it and say where the server is. The trials use one server, an election each, and run side by side where JUnit's {@code
 * junit.jupiter.execution.parallel.enabled} is set.
 */
public abstract class CandidateTrials {
    private static final int CUTS = 20;

    /** The port of the server on the loopback address. */
    protected abstract int port();

    /** The URL of the store for a client that connects to 127.0.0.1 and {@code port}, with {@link #lease()} in it. */
    protected abstract String url(int port);

    /** A short lease that the store grants. */
    protected abstract Duration lease();

    /** How long to wait so that a lease is over for certain; twice the lease, unless the store takes longer. */
    protected Duration longerThanTheLease() {
        return lease().multipliedBy(2);
    }

    private Trial begin(String what) throws IOException {
        String election = what + "-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
        return Trial.of("127.0.0.1", port(), this::url, election.toLowerCase(Locale.ROOT));
    }

    private static void requireTerms(Trial trial, int atLeast) throws IOException {
        assertThat(trial.healAndCheck()).as("terms that were believed").isGreaterThanOrEqualTo(atLeast);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aKilledLeaderIsFollowed() throws Exception {
        try (Trial trial = begin("killed")) {
            long term = trial.term();
            trial.leader().kill();
            trial.awaitTermAfter(term);
            requireTerms(trial, 2);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aFrozenLeaderIsFollowedAndBelievesNothingOnceItIsThawed() throws Exception {
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
    void aLeaderThatResignsStopsFirst() throws Exception {
        try (Trial trial = begin("resigned")) {
            for (int i = 0; i < 3; i++) {
                long term = trial.term();
                trial.leader().resign();
                trial.awaitTermAfter(term);
            }
            requireTerms(trial, 4);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aLeaderWhoseAnswersAreLostIsFollowed() throws Exception {
        cutOff("answers", trial -> trial.leader().network().blackHole(FaultProxy.Direction.TO_CLIENT));
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aLeaderWhoseRequestsAreLostIsFollowed() throws Exception {
        cutOff("requests", trial -> trial.leader().network().blackHole(FaultProxy.Direction.TO_SERVER));
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aLeaderThatIsCutOffIsFollowed() throws Exception {
        cutOff("cut-off", trial -> trial.leader().network().blackHole());
    }

    /** What happens to the network of a leader. */
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

    /** Requests that were carried out and whose answers were cut in the middle, again and again and for everybody. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void connectionsAreResetInTheMiddleOfAnswers() throws Exception {
        try (Trial trial = begin("reset")) {
            for (int i = 0; i < CUTS; i++) {
                for (TrialNode node : trial.nodes()) {
                    node.network()
                            .cutAfter(
                                    FaultProxy.Direction.TO_CLIENT,
                                    ThreadLocalRandom.current().nextInt(300));
                }
                Await.passing(lease().dividedBy(8));
            }
            requireTerms(trial, 1);
        }
    }

    /** Leadership may be lost, never be believed twice. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void everyRoundTripTakesNinetyPercentOfTheLease() throws Exception {
        try (Trial trial = begin("slow")) {
            trial.nodes()
                    .forEach(node ->
                            node.network().delay(lease().multipliedBy(45).dividedBy(100)));
            Await.passing(lease().multipliedBy(4));
            requireTerms(trial, 1);
        }
    }

    /** Nobody can connect for long: candidates spend little, write little, and lead again when it is over. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void connectionsAreRefusedForLong() throws Exception {
        try (Trial trial = begin("refused")) {
            for (TrialNode node : trial.nodes()) {
                node.network().refuse();
                node.network().reset();
            }
            Await.passing(longerThanTheLease());
            long lines = 0;
            Duration before = Duration.ZERO;
            for (TrialNode node : trial.nodes()) {
                lines += node.process().log().size();
                before = before.plus(node.process().processorTime());
            }
            Duration refused = longerThanTheLease().multipliedBy(2);
            Await.passing(refused);
            long linesAfter = 0;
            Duration after = Duration.ZERO;
            for (TrialNode node : trial.nodes()) {
                linesAfter += node.process().log().size();
                after = after.plus(node.process().processorTime());
            }
            System.out.println("connections refused for " + refused + ": "
                    + after.minus(before).dividedBy(trial.nodes().size()) + " of processor time and "
                    + (linesAfter - lines) / trial.nodes().size() + " lines each");
            assertThat(linesAfter).as("lines of three processes").isLessThan(3 * 60);
            requireTerms(trial, 1);
        }
    }
}
