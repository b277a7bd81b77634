package dev.mandate.peers.transport;

/** Pauses that double up to a bound, each shortened at random by up to a half, so that retries spread out. Pure. */
final class Backoff {
    private final long minNanos;
    private final long maxNanos;
    private long nextNanos;

    Backoff(long minNanos, long maxNanos) {
        this.minNanos = minNanos;
        this.maxNanos = maxNanos;
        this.nextNanos = minNanos;
    }

    /**
     * The next pause in nanoseconds.
     *
     * @param random from 0 to 1
     */
    long next(double random) {
        long whole = nextNanos;
        nextNanos = Math.min(maxNanos, whole * 2);
        return whole - (long) (whole / 2 * random);
    }

    /** The connection was good for a while: the next pause is the shortest again. */
    void reset() {
        nextNanos = minNanos;
    }
}
