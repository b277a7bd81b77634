package dev.mandate;

/**
 * Work that only the leader does. Runs on the client's executor, never on its loop.
 *
 * <ul>
 *   <li><strong>Loss:</strong> the thread is interrupted. The task should return within the drain budget; until it has,
 *       this client does not campaign in this election again. Work that exceeds the budget is an overrun: it is
 *       reported, and {@link OverrunPolicy} decides what happens to the lease.
 *   <li><strong>A polite close</strong> ({@link Candidacy#close(java.time.Duration)}) does not interrupt: the task sees
 *       {@link Leadership#isStopRequested()}, and should return within the grace period.
 *   <li><strong>Returning</strong> ends the term and the candidacy, unless {@link RunOptions#campaignAgain()}.
 *   <li><strong>Throwing</strong> ends the term; the client campaigns again after a cool-down that grows with
 *       every failure in a row.
 * </ul>
 */
@FunctionalInterface
public interface LeaderTask {
    /** Does the work of one term. Ask {@link Leadership#ensureValid()} before every effect. */
    void run(Leadership leadership) throws Exception;
}
