package dev.mandate.nats;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How long a bucket has surely been missing, judged by repeated checks. If the gap between two checks is too long,
 * counting starts again: someone may have created the bucket, led in it and deleted it. Times are of
 * {@link System#nanoTime}. For one thread.
 */
final class Absence {
    /** The longest gap, half of the shortest lease: no bucket is missed in which someone led for longer. */
    static final long SIGHT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The time between checks, short enough to leave no gap. */
    static final long SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private boolean isSeen;
    private long sinceNanos;
    private long askedNanos;
    private long answeredNanos;
    private long firstRevision;

    /**
     * A check found nothing; {@code newest} is the newest revision that the bucket ever had. The bucket may have been
     * deleted as late as the answer; another may have existed since the previous check was sent.
     */
    void saw(long askedNanos, long answeredNanos, long newest) {
        if (!isSeen) {
            firstRevision = BucketCheck.firstRevision(newest);
        }
        if (!isSeen || answeredNanos - this.askedNanos > SIGHT_NANOS) {
            sinceNanos = answeredNanos;
        }
        isSeen = true;
        this.askedNanos = askedNanos;
        this.answeredNanos = answeredNanos;
    }

    /** The bucket exists, or nothing is known about it any more. */
    void end() {
        isSeen = false;
    }

    boolean isSeen() {
        return isSeen;
    }

    /** Whether the check sent at that time is the newest one that found nothing. */
    boolean isOf(long askedNanos) {
        return isSeen && this.askedNanos == askedNanos;
    }

    /** Whether, at the newest check, it had been missing for longer than that without a gap. */
    boolean isLongerThan(Duration time) {
        return isSeen && answeredNanos - sinceNanos > time.toNanos();
    }

    /** Where the revisions of a replacement may begin. Constant during an absence, so that its message is, too. */
    long firstRevision() {
        return firstRevision;
    }
}
