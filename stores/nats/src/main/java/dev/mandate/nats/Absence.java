package dev.mandate.nats;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * For how long a bucket has been missing, as one who looks again and again can know it. Of a gap between two looks nothing is known: somebody may
 * have made the bucket, come to lead in it, and deleted it again. Times are of {@link System#nanoTime}. For one thread.
 */
final class Absence {
    /** Half of the shortest lease: no bucket is missed that somebody led in for longer. */
    static final long SIGHT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** So often it is looked for, so that there are no gaps. */
    static final long SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private boolean isSeen;
    private long sinceNanos;
    private long askedNanos;
    private long answeredNanos;
    private long firstRevision;

    /**
     * A look found nothing. What was there before may have been deleted as late as that was answered, and something may have been there since
     * the look before was asked for.
     *
     * @param newest the newest revision that the bucket had
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

    /** It is there, or nothing is known of it any more. */
    void end() {
        isSeen = false;
    }

    boolean isSeen() {
        return isSeen;
    }

    /** Whether the look that was asked for then is the newest that found nothing. */
    boolean isOf(long askedNanos) {
        return isSeen && this.askedNanos == askedNanos;
    }

    /** Whether the newest look found it missing for longer than that, without a gap. */
    boolean isLongerThan(Duration time) {
        return isSeen && answeredNanos - sinceNanos > time.toNanos();
    }

    /** Where the revisions of one that replaces it may begin; the same for all of the absence, so that one sentence stays one sentence. */
    long firstRevision() {
        return firstRevision;
    }
}
