package dev.mandate.engine;

/**
 * The pause before something that failed is tried again: the retry spacing at least, twice as long after each further
 * failure, with jitter, up to the usual pause. All early retries of a client share one budget: {@link
 * LeaseTiming#retriesPerLease()} in a lease. Once it is spent, everything that fails waits for the usual pause.
 */
final class Retries {
    private final LeaseTiming timing;
    private final Entropy entropy;
    private final long spacingNanos;
    /** When the budget is full again. */
    private long fullAtNanos;

    private boolean isUsed;

    Retries(LeaseTiming timing, Entropy entropy) {
        this.timing = timing;
        this.entropy = entropy;
        this.spacingNanos = Math.max(1, timing.leaseNanos() / timing.retriesPerLease());
    }

    /**
     * How long to wait at {@code nowNanos}.
     *
     * @param failures how often it failed in a row, 1 or more
     * @param usualNanos how long to wait at most, before jitter
     */
    long pauseNanos(int failures, long usualNanos, long nowNanos) {
        long grown = timing.retryIntervalNanos() << Math.min(Math.max(failures - 1, 0), 20);
        long pause = grown < usualNanos && take(nowNanos) ? grown : usualNanos;
        return Math.max(timing.retryIntervalNanos(), entropy.jittered(pause));
    }

    /** When to do what usually waits {@code usualNanos}, before jitter: as soon as the budget, which pays, allows. */
    long soonestNanos(long usualNanos, long nowNanos) {
        long usual = nowNanos + entropy.jittered(usualNanos);
        long soonest = Math.max(nowNanos, allowedAtNanos(nowNanos));
        if (usual - soonest <= 0) {
            return usual;
        }
        fullAtNanos += spacingNanos;
        return soonest;
    }

    /** A session's renewal is retried. It never waits, but uses up budget, down to none. */
    void renews(long nowNanos) {
        allowedAtNanos(nowNanos);
        fullAtNanos = Math.max(fullAtNanos, Math.min(fullAtNanos + spacingNanos, nowNanos + timing.leaseNanos()));
    }

    private boolean take(long nowNanos) {
        if (nowNanos - allowedAtNanos(nowNanos) < 0) {
            return false;
        }
        fullAtNanos += spacingNanos;
        return true;
    }

    /** From when the budget allows one more. */
    private long allowedAtNanos(long nowNanos) {
        if (!isUsed || nowNanos - fullAtNanos >= 0) {
            isUsed = true;
            fullAtNanos = nowNanos;
        }
        return fullAtNanos - (timing.leaseNanos() - spacingNanos);
    }
}
