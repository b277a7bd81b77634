package dev.mandate;

/**
 * Who tries first when an election is vacant. An order never decides who leads: it only makes some candidates try
 * later, by at most 8 fiftieths of a lease. Candidates with different orders may safely share an election; those that
 * race come first then.
 */
public enum Order {
    /** All try at once. */
    RACE,
    /**
     * The candidate that has waited longest. Each keeps a leased record in the store while it waits, gives it up when
     * it wins, and queues at the end again after its term. A candidate that loses the lease loses its place.
     */
    ARRIVAL
}
