package dev.mandate.peers.register;

/**
 * What the clocks show on the machine of a proposal.
 *
 * @param nanos any origin; never goes back, and counts while the machine is suspended. Compared by differences
 * @param wallMillis since 1970, or anything: it affects only the height of counters
 */
public record Moment(long nanos, long wallMillis) {}
