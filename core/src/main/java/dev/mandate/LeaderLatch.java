package dev.mandate;

import java.util.Optional;

/**
 * A candidacy without a task, for code that does its work on its own threads and asks whether it may. Campaigns again
 * after every loss until closed. Safe for use from many threads.
 *
 * <p>Nobody interrupts that code. So when a term ends while its lease is still held (eviction, {@link #close()}), the
 * client keeps the record for the drain budget before it releases it, because code that asked just before may still be
 * at work. To release at once, declare that the work has stopped: {@link Leadership#close()} or
 * {@link Leadership#resign()}; neither waits for the release. No overrun is reported, and {@link OverrunPolicy} does
 * not apply. The grace of {@link #close(java.time.Duration)} ends early only in that way.
 */
public interface LeaderLatch extends Candidacy {
    /**
     * Whether this client leads at this instant: {@link Leadership#isValid()} of its term, never a flag. False once a
     * close has begun, even one with a grace period, so that no further work begins. Does not block or ask the store.
     * Do not keep the answer.
     */
    boolean isLeader();

    /**
     * The term, if {@link #isLeader()}; keep it for one piece of work, and ask {@link Leadership#isValid()} before each
     * of its effects.
     */
    Optional<Leadership> leadership();
}
