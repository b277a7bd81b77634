package dev.mandate.internal;

/** How often one kind of trouble is said: the first {@value #LINES} times, then once in a while. Not safe for use from many threads. */
final class Ration {
    private static final int LINES = 10;

    private final long spacingNanos;
    private int said;
    private long saidNanos;
    private long times;

    Ration(long spacingNanos) {
        this.spacingNanos = spacingNanos;
    }

    /** It happened: how many times since it was said last, if it may be said now; else 0. */
    long happened(long nowNanos) {
        times++;
        return maySay(nowNanos) ? unsaid() : 0;
    }

    /** Whether one more line may be written; then it counts as written. */
    boolean maySay(long nowNanos) {
        if (said >= LINES && nowNanos - saidNanos < spacingNanos) {
            return false;
        }
        said++;
        saidNanos = nowNanos;
        return true;
    }

    /** How many times it happened since it was said last; from now on these count as said. */
    long unsaid() {
        long all = times;
        times = 0;
        return all;
    }

    /** The trouble was over for long: it may be said from the start. */
    void renew() {
        said = 0;
    }
}
