package dev.mandate.spring;

import dev.mandate.Candidacy;
import dev.mandate.ElectionClient;
import dev.mandate.LeaderTask;
import dev.mandate.Leadership;
import dev.mandate.RunOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The candidacy in one election, for all {@link LeaderOnly} methods that name it. */
final class Campaign implements LeaderTask {
    private final String election;
    private final LeaderOnly.Otherwise otherwise;
    private final String publish;

    /** The method that named the election first, for messages. */
    private final String method;

    private volatile @Nullable LeaderCalls term;

    /** Changes under this object's lock; null while there is none. */
    private volatile @Nullable Candidacy candidacy;

    Campaign(String election, LeaderOnly.Otherwise otherwise, String publish, String method) {
        this.election = election;
        this.otherwise = otherwise;
        this.publish = publish;
        this.method = method;
    }

    String election() {
        return election;
    }

    String method() {
        return method;
    }

    LeaderOnly.Otherwise otherwise() {
        return otherwise;
    }

    String publish() {
        return publish;
    }

    /** The calls of the present term, if there is one. Whether it is valid, it says when a call begins. */
    @Nullable
    LeaderCalls term() {
        return term;
    }

    /** Whether its candidacy has begun, and was not stopped. */
    boolean hasBegun() {
        return candidacy != null;
    }

    /** Begins the candidacy, unless it has begun or is not wanted any more. Does not wait for anything. */
    synchronized void start(ElectionClient client, @Nullable String value, BooleanSupplier isWanted) {
        if (hasBegun() || !isWanted.getAsBoolean()) {
            return;
        }
        String published = !publish.isEmpty() ? publish : value == null ? client.candidate() : value;
        try {
            // A term that was lost has returned from the task, and the next may be won.
            candidacy =
                    client.election(election).runWhileLeader(published, RunOptions.DEFAULTS.withCampaignAgain(), this);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new MandateStartException(
                    method + " has @LeaderOnly, but can't campaign: " + e.getMessage() + ".",
                    "Name another election, or correct what is published.",
                    e);
        }
    }

    /** Blocks until running calls have ended, at most for {@code grace} and the drain budget. */
    void stop(Duration grace) {
        Candidacy ending;
        synchronized (this) {
            ending = candidacy;
            candidacy = null;
        }
        if (ending != null) {
            ending.close(grace);
        }
    }

    @Override
    public void run(Leadership leadership) {
        LeaderCalls calls = new LeaderCalls(leadership);
        CountDownLatch stop = new CountDownLatch(1);
        leadership.stopRequested().thenRun(stop::countDown);
        term = calls;
        try {
            stop.await();
            calls.close();
            if (leadership.isValid()) {
                calls.awaitEnd();
            }
        } catch (InterruptedException e) {
            // The loss of the term, or the end of the grace: the calls are interrupted, too.
        } finally {
            try {
                calls.close();
                calls.interruptAndAwaitEnd();
            } finally {
                term = null;
            }
        }
    }
}
