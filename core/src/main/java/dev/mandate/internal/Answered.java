package dev.mandate.internal;

import dev.mandate.engine.Now;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * When the store last answered a question about one election. Written on the loop, read on any thread.
 *
 * <p>To compute an age, the clock is read first. A thread stopped between the two reads thus sees the newest answer.
 */
final class Answered {
    private volatile long answeredNanos;
    private volatile long askedNanos;
    private volatile boolean isAnswered;

    /** An answer that has come, and does not count yet. On the loop alone. */
    private long newAskedNanos;

    private @Nullable Now cameAt;

    /** {@code openedNanos}: when the client was opened. Ages count from then until the first answer. */
    Answered(long openedNanos) {
        this.answeredNanos = openedNanos;
        this.askedNanos = openedNanos;
    }

    /** The store has just answered what it was asked at {@code asked}: this counts once it is {@link #known}. */
    void heard(long asked, Now now) {
        newAskedNanos = asked;
        cameAt = now;
    }

    /** The answer that was heard last, if any, is now part of what is known. */
    void known() {
        Now came = cameAt;
        if (came != null) {
            cameAt = null;
            answeredNanos = came.monotonicNanos();
            askedNanos = Math.max(askedNanos, newAskedNanos);
            isAnswered = true;
        }
    }

    /** The answer that was heard last may have been lost on the way to the machine. */
    void missed() {
        cameAt = null;
    }

    boolean isNever() {
        return !isAnswered;
    }

    /** How long ago the last answer came. */
    long ageNanos(LongSupplier clock) {
        long nanos = clock.getAsLong();
        return Math.max(0, nanos - answeredNanos);
    }

    /** How long ago its question was asked: what the answer shows may be that old. */
    long questionAgeNanos(LongSupplier clock) {
        long nanos = clock.getAsLong();
        return Math.max(0, nanos - askedNanos);
    }
}
