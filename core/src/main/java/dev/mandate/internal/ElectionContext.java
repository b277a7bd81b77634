package dev.mandate.internal;

/**
 * What the elections of a client share, beyond what all its parts do.
 *
 * @param watchdog ends terms at their stop
 * @param overruns handles work that does not stop
 * @param proclaiming writes a leader's new value
 * @param inquiries asks the store for callers that wait
 * @param calls calls of the store that no machine times
 */
record ElectionContext(
        ClientContext client,
        Watchdog watchdog,
        Overruns overruns,
        Proclaiming proclaiming,
        Inquiries inquiries,
        TimedCalls calls) {}
