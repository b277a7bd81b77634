package dev.mandate.spi;

/**
 * How often one kind of trouble is logged: the first {@value #LINES} times, then once in a while, with a count. Not
 * safe for use from many threads.
 */
public final class Ration {
    /** How many lines are written before the pauses begin. */
    public static final int LINES = 10;

    private final long spacingNanos;
    private int said;
    private long saidNanos;
    private long times;

    /**
     * A ration of which nothing is used.
     *
     * @param spacingNanos the pause between later lines, in nanoseconds of the clock that the methods are given
     */
    public Ration(long spacingNanos) {
        this.spacingNanos = spacingNanos;
    }

    /** It happened: how many times since it was said last, if it may be said now; else 0. */
    public long happened(long nowNanos) {
        times++;
        return maySay(nowNanos) ? unsaid() : 0;
    }

    /** Whether one more line may be written; then it counts as written. */
    public boolean maySay(long nowNanos) {
        if (said >= LINES && nowNanos - saidNanos < spacingNanos) {
            return false;
        }
        said++;
        saidNanos = nowNanos;
        return true;
    }

    /** How many times it happened since it was said last; from now on these count as said. */
    public long unsaid() {
        long all = times;
        times = 0;
        return all;
    }

    /** The trouble was over for long: it may be said from the start. */
    public void renew() {
        said = 0;
    }
}
