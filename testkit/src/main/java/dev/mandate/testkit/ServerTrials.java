package dev.mandate.testkit;

import dev.mandate.testkit.history.Trial;
import dev.mandate.testkit.history.TrialNode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What happens to a server, with three candidate processes and a new server in each trial; every history is judged. To
 * adopt it, extend it and say how to start a server. The trials run side by side where JUnit's
 * {@code junit.jupiter.execution.parallel.enabled} is set.
 */
public abstract class ServerTrials extends TrialFixture {
    private static final Duration MOMENT = Duration.ofSeconds(3);
    private static final int TERMS = 4;

    /** For subclasses. */
    protected ServerTrials() {}

    /** Starts a server for one trial. */
    protected abstract TrialServer start() throws Exception;

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aServerThatStandsStillForThreeSeconds() throws Exception {
        try (TrialServer server = start();
                Trial trial = begin("moment", server.port())) {
            server.freeze();
            Await.passing(MOMENT);
            server.thaw();
            requireTerms(trial, 1);
        }
    }

    /** By then nobody leads, and nobody claims to know who does. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aServerThatStandsStillForTwoLeases() throws Exception {
        try (TrialServer server = start();
                Trial trial = begin("still", server.port())) {
            server.freeze();
            Await.passing(lease().multipliedBy(3).dividedBy(2));
            long silent = System.nanoTime();
            Await.passing(lease().dividedBy(2));
            trial.unreachableSince(silent);
            server.thaw();
            requireTerms(trial, 2);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aServerThatIsKilledAndStartedAgain() throws Exception {
        try (TrialServer server = start();
                Trial trial = begin("restarted", server.port())) {
            server.restart();
            requireTerms(trial, 1);
        }
    }

    /**
     * The store assumes that this does not happen, and little is promised then: candidates that saw larger tokens do
     * not lead with the new ones, newcomers lead.
     */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aServerThatLosesItsData() throws Exception {
        try (TrialServer server = start();
                Trial trial = begin("emptied", server.port())) {
            for (int i = 1; i < TERMS; i++) {
                long term = trial.term();
                trial.leader().resign();
                trial.awaitTermAfter(term);
            }
            trial.empty(lease(), server::restartWithoutData);
            Await.passing(lease().multipliedBy(2));
            trial.nodes().forEach(TrialNode::kill);
            requireTerms(trial, TERMS + 1);
        }
    }
}
