package dev.mandate;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A term that was won. Once invalid, never valid again. Safe for use from many threads. */
public interface Leadership extends AutoCloseable {
    /** The election's name. */
    String election();

    /** The number of this term; every resource the work writes to should check it. Stays readable after the end. */
    FencingToken fencingToken();

    /**
     * Whether this term may be believed at this instant, by the clocks of this machine. Does not block or ask the
     * store. Says nothing about the next instant: see {@link #remaining()} and the fencing token.
     */
    boolean isValid();

    /**
     * Call before every effect outside this process.
     *
     * @throws LeadershipLostException if {@link #isValid()} is false
     */
    void ensureValid();

    /** How long {@link #isValid()} stays true if no further renewal succeeds. Zero once it is false. */
    Duration remaining();

    /** Reports that the work made progress. Only needed with {@link RunOptions#progressTimeout()}. Never blocks. */
    void reportProgress();

    /**
     * Whether the work should come to an end: true once {@link Candidacy#close(Duration)} or {@link
     * ElectionClient#close(Duration)} asked for that, and whenever {@link #isValid()} is false. Does not block.
     */
    boolean isStopRequested();

    /**
     * Completes, on the client's executor, when a close asked the work to end or the term has ended, whichever comes
     * first. Never completes exceptionally. Dependent stages may block, as those of {@link #ended()}.
     */
    CompletionStage<Void> stopRequested();

    /**
     * Completes with the reason, on the client's executor, when the term has ended. Never completes
     * exceptionally. Dependent stages may block; if many do at once, the ends of further terms are reported some
     * tenths of a second late.
     */
    CompletionStage<EndReason> ended();

    /**
     * Replaces the published value. Blocks until the store has confirmed it.
     *
     * @throws LeadershipLostException if the term is over, or ends before the store confirmed
     * @throws StoreUnavailableException if the store did not confirm in time; the value may still appear
     * @throws IllegalArgumentException if the value is too long
     */
    void proclaim(String value);

    /**
     * Ends the term. In a task: interrupts it; the release follows when it has returned. On a {@link Leadership} from
     * {@code campaign} or a {@link LeaderLatch}: declares that the work has stopped, and releases. Returns at once;
     * idempotent.
     */
    void resign();

    /**
     * Declares that the work has stopped, and resigns if that has not happened. Waits for the confirmed release, a few
     * request time-outs at most. In a task or from a {@link LeaderLatch}, the same as {@link #resign()}. Idempotent;
     * does not throw.
     */
    @Override
    void close();
}
