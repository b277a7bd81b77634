package dev.mandate.engine;

/**
 * How often what a {@link FollowingMachine} follows is listed, and how soon again. The longer a list is, the longer it
 * rests.
 */
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

    /** A list may have thousands of records, and only its freshness hangs on them. */
    @Override
    public long answerMostNanos() {
        return Math.max(settings.lookNanos(), settings.timing().answerNanos());
    }

    /** When the list would be stale at once. */
    @Override
    public long oldNanos() {
        return settings.timing().leaseNanos();
    }

    /** From its end: a listing that takes longer than the pause would else be repeated without one. */
    @Override
    public long soonestNanos(long beganNanos, long endedNanos, int pages) {
        long pause = settings.pauseNanos(pages);
        return endedNanos + pause - entropy.below(pause / 10 + 1);
    }

    /** When what a hint said now is compared with a list of so many pages. */
    long confirmAtNanos(int pages, long nowNanos) {
        long half = settings.confirmNanos(pages) / 2;
        return nowNanos + half + entropy.below(half + 1);
    }
}
