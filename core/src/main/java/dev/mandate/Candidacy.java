package dev.mandate;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A standing candidacy whose task runs whenever its client leads. Safe for use from many threads. */
public interface Candidacy extends AutoCloseable {
    /** Blocks until the candidacy is over: its task returned, or it was closed. */
    void await() throws InterruptedException;

    /** Like {@link #await()}, for at most {@code atMost}; false if it still stands. */
    boolean await(Duration atMost) throws InterruptedException;

    /** Completes when the candidacy is over. Never completes exceptionally. */
    CompletionStage<Void> done();

    /** Whether this client leads at this instant, with the reason beside it. */
    Standing standing();

    /**
     * Withdraws: the work is interrupted and awaited for the drain budget, then the record is released. Takes at most the drain budget plus a
     * few answer time-outs; called from a task or listener of the same client it waits for nothing. Idempotent; does not throw.
     */
    @Override
    void close();
}
