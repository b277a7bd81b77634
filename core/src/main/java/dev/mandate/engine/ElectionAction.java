package dev.mandate.engine;

import dev.mandate.EndReason;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import org.jspecify.annotations.Nullable;

/** What an election wants done: a request to the store, or an announcement. */
public sealed interface ElectionAction extends Action {
    /** The election. */
    RecordKey key();

    /**
     * A request to the store. An election awaits at most one at a time, for {@code timeoutNanos} after
     * it was handed out.
     */
    sealed interface Request extends ElectionAction {
        /** Unique within one client; the answer carries it back. */
        long request();

        /** How long the answer is awaited. */
        long timeoutNanos();
    }

    /** Read the key, linearizably. */
    record Read(RecordKey key, long request, long timeoutNanos) implements Request {}

    /** Write {@code proposal} if the key is still at {@code basis}; {@code session} where one keeps the lease. */
    record Acquire(
            RecordKey key,
            long request,
            long timeoutNanos,
            Observation basis,
            LeaderRecord proposal,
            @Nullable SessionLease session)
            implements Request {}

    /** Replace the record if it is still at {@code basis}. */
    record Update(
            RecordKey key, long request, long timeoutNanos, Observation.Held basis, LeaderRecord record, Intent intent)
            implements Request {}

    /** Make the key vacant if it is still at {@code basis}. */
    record Release(RecordKey key, long request, long timeoutNanos, Observation.Held basis) implements Request {}

    /** Remove what is left of the vacant key if it is still at {@code basis}. Only requested for a place in a queue. */
    record Erase(RecordKey key, long request, long timeoutNanos, Observation.Vacant basis) implements Request {}

    /** A term begins: start the work. */
    record Begin(RecordKey key, Term term, Observation.Held held) implements ElectionAction {}

    /**
     * The term is over: {@link Term#check} already says so. Interrupt the work, and answer with {@link
     * ElectionEvent.WorkStopped} when it has ended. Sent exactly once for every {@link Begin}.
     */
    record End(RecordKey key, Term term, EndReason reason) implements ElectionAction {}

    /** This idle election was forgotten. */
    record Forgotten(RecordKey key) implements ElectionAction {}

    /** The work outlived its budget. Sent at most once per term. */
    record Overrun(RecordKey key, Term term) implements ElectionAction {}

    /** What is known about the leader has changed. */
    record Observed(RecordKey key, View view) implements ElectionAction {}

    /** The candidacy is over: no term, no work, and no record of ours that could still be released. */
    record Withdrawn(RecordKey key) implements ElectionAction {}

    /** Its stance has changed. Announced only where there is an order. */
    record Stood(RecordKey key, Stance stance) implements ElectionAction {}

    /** The answer to {@link ElectionEvent.Proclaim}. */
    record Proclaimed(RecordKey key, long command, boolean written) implements ElectionAction {}

    /** The store refuses until somebody changes something ({@code message}), or is well again (null). For status. */
    record Fault(RecordKey key, @Nullable String message) implements ElectionAction {}
}
