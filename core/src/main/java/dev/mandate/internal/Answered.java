package dev.mandate.internal;

import dev.mandate.engine.Now;
import java.util.function.LongSupplier;

/**
 * When the store last answered a question about one election. Written on the loop, read on any thread.
 *
 * <p>To compute an age, the clock is read first. A thread stopped between the two reads must not take an old answer for
 * the last one: a listener would be told that the leader is unknown, and nothing would correct that.
 */
final class Answered {
    private static final long NEVER = Long.MIN_VALUE;

    private final LongSupplier clock;
    private final long openedNanos;
    private volatile long answeredNanos = NEVER;
    private volatile long askedNanos = NEVER;

    /** {@code openedNanos}: when the client was opened. Ages count from then until the first answer. */
    Answered(LongSupplier clock, long openedNanos) {
        this.clock = clock;
        this.openedNanos = openedNanos;
    }

    /** The store has just answered what it was asked at {@code asked}. */
    void heard(long asked, Now now) {
        answeredNanos = now.monotonicNanos();
        askedNanos = Math.max(askedNanos, asked);
    }

    boolean isNever() {
        return answeredNanos == NEVER;
    }

    /** How long ago the last answer came. */
    long ageNanos() {
        long nanos = clock.getAsLong();
        return age(nanos, answeredNanos);
    }

    /** How long ago its question was asked: what the answer shows may be that old. */
    long questionAgeNanos() {
        long nanos = clock.getAsLong();
        return age(nanos, askedNanos);
    }

    private long age(long nanos, long from) {
        return Math.max(0, nanos - (from == NEVER ? openedNanos : from));
    }
}
