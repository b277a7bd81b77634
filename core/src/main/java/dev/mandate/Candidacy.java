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
     * Tells {@code listener} of this client's own role: the present state first, then every change until the candidacy
     * is over. That is the last call; it may come after {@link #close()} has returned.
     */
    void onChange(CandidacyListener listener);

    /**
     * Stops politely: campaigns no more, but leaves a term in progress up to {@code grace} to finish its work.
     * Meanwhile the lease is renewed, the term stays valid, and {@link Leadership#isStopRequested()} is true. Returns
     * when the work has ended and its record is released; after {@code grace}, or if the caller is interrupted, goes on
     * as {@link #close()}. If the term is lost meanwhile, the candidacy ends with it.
     *
     * <p>When called from a task or listener of the same client, does not wait. The earliest grace of several calls
     * counts. Idempotent.
     *
     * @throws IllegalArgumentException if {@code grace} is negative or longer than 365 days
     */
    void close(Duration grace);

    /**
     * Withdraws at once: interrupts the work, waits for it up to the drain budget, then releases the record. Takes at
     * most the drain budget plus a few answer time-outs. Does not wait when called from a task or listener of the same
     * client. Idempotent; does not throw.
     */
    @Override
    void close();
}
