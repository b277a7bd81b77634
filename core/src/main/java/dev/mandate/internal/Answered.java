package dev.mandate.internal;

import dev.mandate.engine.Now;

/** When the store last answered a question about one election. Written on the loop, read on any thread. */
final class Answered {
    private static final long NEVER = Long.MIN_VALUE;

    private final Client client;
    private volatile long answeredNanos = NEVER;
    private volatile long askedNanos = NEVER;

    Answered(Client client) {
        this.client = client;
    }

    /** A question that was asked then is answered now. */
    void heard(long asked, Now now) {
        answeredNanos = now.monotonicNanos();
        askedNanos = Math.max(askedNanos, asked);
    }

    boolean isNever() {
        return answeredNanos == NEVER;
    }

    // Both look at the clock first. A thread that is stopped in between must not take an old answer for the last one:
    // a listener would be told that nothing is known, and nothing would put that right.

    /** How long ago the last answer came; since the client was opened if none did. */
    long ageNanos() {
        long nanos = client.host().nanos();
        return age(nanos, answeredNanos);
    }

    /** How long ago the question was asked: what the answer shows may be as old. */
    long questionAgeNanos() {
        long nanos = client.host().nanos();
        return age(nanos, askedNanos);
    }

    private long age(long nanos, long from) {
        return Math.max(0, nanos - (from == NEVER ? client.openedNanos() : from));
    }
}
