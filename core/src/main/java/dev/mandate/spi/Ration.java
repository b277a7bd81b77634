package dev.mandate.spi;

/**
 * Limits how often one kind of trouble is logged: the first {@value #LINES} times, then now and then, with a count. Not
 * safe for use from many threads.
 */
public final class Ration {
    /** How many lines are logged before the pauses begin. */
    public static final int LINES = 10;

    private final long spacingNanos;
    private int said;
    private long saidNanos;
    private long times;

    /**
     * An unused ration.
     *
     * @param spacingNanos the pause between later lines, in nanoseconds of the clock passed to the methods
     */
    public Ration(long spacingNanos) {
        this.spacingNanos = spacingNanos;
    }

    /** Counts one occurrence. Returns how many there were since the last line, if one may be logged now; else 0. */
    public long happened(long nowNanos) {
        times++;
        return maySay(nowNanos) ? unsaid() : 0;
    }

    /** Whether one more line may be logged; if so, counts it. */
    public boolean maySay(long nowNanos) {
        if (said >= LINES && nowNanos - saidNanos < spacingNanos) {
            return false;
        }
        said++;
        saidNanos = nowNanos;
        return true;
    }

    /** How many occurrences there were since the last line; resets the count. */
    public long unsaid() {
        long all = times;
        times = 0;
        return all;
    }

    /** Starts afresh: the trouble has been over for long. */
    public void renew() {
        said = 0;
    }
}
