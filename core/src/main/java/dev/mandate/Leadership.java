package dev.mandate;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A term that was won. Never constructed, only won; never valid again once it was not. Safe for use from many threads.
 */
public interface Leadership extends AutoCloseable {
    /** The election's name. */
    String election();

    /** The number of this term, to be checked by every resource the work writes to. Stays readable after the end. */
    FencingToken fencingToken();

    /**
     * Whether this term may be believed at this instant, by the clocks of this machine. Does not block and asks nobody. The answer says
     * nothing about the next instant: see {@link #remaining()} and the fencing token.
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

    /** Says that the work is alive. Only needed where {@link RunOptions#heartbeat()} is set. Never blocks. */
    void heartbeat();

    /**
     * Completes, on the client's executor, when the term has ended, with the reason. Never completes exceptionally. What depends on it may block:
     * where many such do at once, the ends of further terms are told some tenths of a second late.
     */
    CompletionStage<LossReason> lost();

    /**
     * Replaces the published value. Blocks until the store confirmed.
     *
     * @throws LeadershipLostException if the term is over, or ends before the store confirmed
     * @throws StoreUnavailableException if the store did not confirm in time; the value may yet appear
     * @throws IllegalArgumentException if the value is too long
     */
    void proclaim(String value);

    /**
     * Ends the term. In a task: interrupts it, and the release follows when it has returned. On a {@link Leadership} from {@code campaign}: says
     * that the work has stopped, and releases. Returns at once; idempotent.
     */
    void resign();

    /**
     * Says that the work has stopped, and resigns if that has not happened. Waits for the release to be confirmed, for a few answer time-outs at
     * most. In a task it is the same as {@link #resign()}. Idempotent; does not throw.
     */
    @Override
    void close();
}
