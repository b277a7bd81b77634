package dev.mandate;

/**
 * Who tries first when an election is vacant. An order never decides who leads: it only makes some candidates try
 * later, by 8 fiftieths of a lease at the most. Candidates of one election with different orders are safe beside each
 * other; those that race come first then.
 */
public enum Order {
    /** Everybody tries at once. */
    RACE,
    /**
     * The candidate that has waited longest. Each keeps a leased record in the store while it waits, gives it up when
     * it wins, and stands at the end again after its term. A candidate that loses its lease loses its place with it.
     */
    ARRIVAL
}
