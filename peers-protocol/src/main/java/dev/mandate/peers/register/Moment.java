package dev.mandate.peers.register;

/**
 * What the clocks of a proposal's machine say.
 *
 * @param nanos any origin; never goes back, and counts while the machine is suspended. Compared by differences
 * @param wallMillis since 1970, or anything: nothing but the height of counters comes from it
 */
public record Moment(long nanos, long wallMillis) {}
