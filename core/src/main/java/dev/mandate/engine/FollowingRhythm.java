package dev.mandate.engine;

/** How often, and how soon again, a {@link FollowingMachine} lists. The longer the list, the longer the pause. */
final class FollowingRhythm implements Listing.Rhythm {
    private final FollowingSettings settings;
    private final Hints hints;
    private final Entropy entropy;

    FollowingRhythm(FollowingSettings settings, Hints hints, Entropy entropy) {
        this.settings = settings;
        this.hints = hints;
        this.entropy = entropy;
    }

    @Override
    public long usualNanos() {
        return settings.isJudged() || !hints.work() ? settings.lookNanos() : settings.hintedLookNanos();
    }

    @Override
    public long pauseMostNanos() {
        return settings.lookNanos();
    }

    /** A list may have thousands of records, and only its freshness depends on them. */
    @Override
    public long answerMostNanos() {
        return Math.max(settings.lookNanos(), settings.timing().requestTimeoutNanos());
    }

    /** When the list would become stale at once. */
    @Override
    public long oldNanos() {
        return settings.timing().leaseNanos();
    }

    /** Counts from the end: otherwise a listing that takes longer than the pause would be repeated without one. */
    @Override
    public long soonestNanos(long beganNanos, long endedNanos, int pages) {
        long pause = settings.pauseNanos(pages);
        return endedNanos + pause - entropy.below(pause / 10 + 1);
    }

    /** When to check a hint that came now against a list of so many pages. */
    long confirmAtNanos(int pages, long nowNanos) {
        long half = settings.confirmNanos(pages) / 2;
        return nowNanos + half + entropy.below(half + 1);
    }
}
