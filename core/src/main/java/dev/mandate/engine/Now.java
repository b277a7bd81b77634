package dev.mandate.engine;

/**
 * One reading of both clocks of this machine.
 *
 * @param monotonicNanos never goes back; has no meaning but differences; may stand still while the machine is suspended
 * @param wallMillis since 1970; may step in either direction. Only ever used to end something <em>earlier</em>
 */
public record Now(long monotonicNanos, long wallMillis) {}
