package dev.mandate;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A candidacy whose task runs whenever its client leads. Safe for use from many threads. */
public interface Candidacy extends AutoCloseable {
    /** Blocks until the candidacy is over: its task returned, or it was closed. */
    void await() throws InterruptedException;

    /** Like {@link #await()}, for at most {@code atMost}; false if the candidacy goes on. */
    boolean await(Duration atMost) throws InterruptedException;

    /** Completes when the candidacy is over. Never completes exceptionally. */
    CompletionStage<Void> done();

    /** Whether this client leads at this instant, with the reason. */
    CandidacyStatus status();

    /**
     * Withdraws: interrupts the work, waits for it up to the drain budget, then releases the record. Takes at most the
     * drain budget plus a few request time-outs. Does not wait when called from a task or listener of the same client.
     * Idempotent; does not throw.
     */
    @Override
    void close();
}
