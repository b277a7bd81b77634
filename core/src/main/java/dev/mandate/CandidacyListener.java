package dev.mandate;

/**
 * Called when this client's own role in an election changes: it became the leader, lost the leadership, waits, or
 * stopped campaigning. Runs on the client's executor, one call at a time, in order. What it throws is logged and
 * otherwise ignored.
 *
 * <p>A call may come late: the {@link CandidacyStatus} was true just before the call, and no longer than that. Use it
 * to start and stop what may be late, such as a metric or a cache; before every effect ask {@link
 * Leadership#isValid()}. A slow listener receives the newest state and may miss others, even a whole term. Two terms
 * are never told in a row: between them comes a state that does not lead.
 */
@FunctionalInterface
public interface CandidacyListener {
    /** The state now; its token says which term, while leading. */
    void changed(CandidacyStatus now);
}
