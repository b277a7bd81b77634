package dev.mandate.engine;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All arithmetic of leases, in one place. Immutable; refuses settings that cannot work, naming both numbers.
 *
 * <p>Defaults, as shares of the lease L:
 *
 * <table>
 * <caption>Defaults</caption>
 * <tr><th>setting</th><th>default</th><th>what it is</th></tr>
 * <tr><td>{@code q}</td><td>1.1</td><td>greatest ratio of two machines' clock <em>rates</em> that is covered</td></tr>
 * <tr><td>{@code guard}</td><td>L/100</td><td>subtracted from the deadline because clocks are coarse</td></tr>
 * <tr><td>{@code renew}</td><td>L/3</td><td>from the send of one renewal to the next</td></tr>
 * <tr><td>{@code answer}</td><td>L/15</td><td>how long an answer is awaited</td></tr>
 * <tr><td>{@code retry}</td><td>L/40</td><td>from a missing answer to the next try</td></tr>
 * <tr><td>{@code drain}</td><td>L/6</td><td>how long work may take to stop</td></tr>
 * <tr><td>{@code poll}</td><td>L/10</td>
 * <td>how often a follower reads, ±20 %; L/3 while hints work, for a follower that does not campaign</td></tr>
 * <tr><td>{@code leaderPoll}</td><td>30 s</td>
 * <td>how often the records of all held elections are listed, where a session keeps the lease</td></tr>
 * <tr><td>{@code splay}</td><td>L/50</td><td>the first read is delayed by a random part of this</td></tr>
 * <tr><td>{@code coolDown}</td><td>L/4</td>
 * <td>pause after resignation, eviction or failed work; doubles up to 6 L</td></tr>
 * <tr><td>{@code step}</td><td>L/50</td><td>the delay per place where there is an order; not configurable</td></tr>
 * </table>
 *
 * <p>With these a term is believed for L/q − guard − drain = 0.73 L after the send of its last confirmed renewal.
 * Three complete tries fit in that time; the last one is answered at 0.58 L. The shares stay the same if a store
 * grants less than requested.
 */
public final class LeaseTiming {
    private static final long SECOND = 1_000_000_000L;
    private static final long LEADER_POLL_NANOS = 30 * SECOND;
    private static final int TRIES = 3;
    private static final int RETRIES_MIN = 8;
    /** Read, acquire, read again, publish a value, release, read who follows. */
    private static final int ROUND_REQUESTS = 6;
    /** Open a session and end it. */
    private static final int SESSION_REQUESTS = 2;

    private static final long SHORTEST_NANOS = 1_000_000L;

    private final long leaseNanos;
    private final double rateRatio;
    private final long guardNanos;
    private final long renewNanos;
    private final long answerNanos;
    private final long retryNanos;
    private final long drainNanos;
    private final long pollNanos;
    private final long leaderPollNanos;
    private final long splayNanos;
    private final long coolDownNanos;

    private LeaseTiming(Draft d) {
        this.leaseNanos = Span.positive("lease", d.lease, 0);
        this.rateRatio = d.rateRatio;
        this.guardNanos = Span.notNegative("guard", d.guard, leaseNanos / 100);
        this.renewNanos = Span.positive("renew", d.renew, leaseNanos / 3);
        this.answerNanos = Span.positive("answer", d.answer, leaseNanos / 15);
        this.retryNanos = Span.positive("retry", d.retry, leaseNanos / 40);
        this.drainNanos = Span.notNegative("drain", d.drain, leaseNanos / 6);
        this.pollNanos = Span.positive("poll", d.poll, leaseNanos / 10);
        this.leaderPollNanos = Span.positive("leaderPoll", d.leaderPoll, LEADER_POLL_NANOS);
        this.splayNanos = Span.notNegative("splay", d.splay, leaseNanos / 50);
        this.coolDownNanos = Span.notNegative("coolDown", d.coolDown, leaseNanos / 4);
        validate();
    }

    /**
     * All settings of {@code asked}, shrunk alike. They still fit together, except for roundings,
     * which are not refused.
     */
    private LeaseTiming(LeaseTiming asked, long granted) {
        double share = (double) granted / asked.leaseNanos;
        this.leaseNanos = granted;
        this.rateRatio = asked.rateRatio;
        this.guardNanos = (long) Math.ceil(asked.guardNanos * share);
        this.renewNanos = shrunk(asked.renewNanos, share);
        this.answerNanos = shrunk(asked.answerNanos, share);
        this.retryNanos = shrunk(asked.retryNanos, share);
        this.drainNanos = (long) (asked.drainNanos * share);
        this.pollNanos = shrunk(asked.pollNanos, share);
        this.leaderPollNanos = asked.leaderPollNanos;
        this.splayNanos = (long) (asked.splayNanos * share);
        this.coolDownNanos = (long) (asked.coolDownNanos * share);
    }

    /** However short a granted lease is, it makes nothing happen more than a thousand times a second. */
    private static long shrunk(long nanos, double share) {
        return Math.max((long) (nanos * share), Math.min(nanos, SHORTEST_NANOS));
    }

    private void validate() {
        if (!(rateRatio >= 1.0 && rateRatio <= 2.0)) {
            throw new IllegalArgumentException("q is " + rateRatio + "; it must be between 1.0 and 2.0");
        }
        long end = endNanos(leaseNanos);
        if (end <= 0) {
            throw new IllegalArgumentException("lease " + Span.text(leaseNanos) + " divided by q " + rateRatio
                    + " leaves nothing after a guard of " + Span.text(guardNanos)
                    + "; lengthen the lease or shorten the guard");
        }
        if (drainNanos >= end) {
            throw new IllegalArgumentException("drain " + Span.text(drainNanos)
                    + " leaves no time to lead in a lease of " + Span.text(leaseNanos) + " (believed for "
                    + Span.text(end) + "); lengthen the lease or shorten the drain");
        }
        long triesDone = renewNanos + TRIES * answerNanos + (TRIES - 1) * retryNanos;
        if (triesDone > stopNanos(leaseNanos)) {
            throw new IllegalArgumentException("three tries to renew (renew " + Span.text(renewNanos) + ", answer "
                    + Span.text(answerNanos) + ", retry "
                    + Span.text(retryNanos) + ") end " + Span.text(triesDone)
                    + " after the last renewal, but draining begins at "
                    + Span.text(stopNanos(leaseNanos)) + " (lease " + Span.text(leaseNanos) + " / q " + rateRatio
                    + " - guard "
                    + Span.text(guardNanos)
                    + " - drain " + Span.text(drainNanos) + "); lengthen the lease or shorten the others");
        }
        if (pollNanos > leaseNanos) {
            throw new IllegalArgumentException("poll " + Span.text(pollNanos) + " is longer than the lease "
                    + Span.text(leaseNanos) + "; shorten the poll");
        }
    }

    /** The defaults for a lease. */
    public static LeaseTiming of(Duration lease) {
        return of(lease, 1.1).build();
    }

    /** A draft with another rate ratio; see the table for the rest. */
    public static Draft of(Duration lease, double rateRatio) {
        return new Draft(lease, rateRatio);
    }

    /** These settings for a grant of {@code granted} nanoseconds: shrunk alike if that is less than the lease. */
    public LeaseTiming granted(long granted) {
        if (granted >= leaseNanos) {
            return this;
        }
        if (granted <= 0) {
            throw new IllegalArgumentException("the store granted a lease of " + granted + " ns; it must be positive");
        }
        return new LeaseTiming(this, granted);
    }

    /**
     * The timing of registrations under these settings. No work has to stop before their deadline, and they have their
     * own lease. Renewals and the guard, which is never shortened, keep their share of it. What depends on the store
     * and not on the lease ({@code answer}, {@code retry}, {@code poll}, {@code leaderPoll}, {@code splay}, {@code
     * coolDown}) stays the same.
     *
     * @param lease how long a registration lives without renewal; {@link #lease()} where a session keeps it
     * @throws IllegalArgumentException if three tries to renew don't fit into {@code lease}; names both numbers
     */
    public LeaseTiming registering(Duration lease) {
        try {
            return of(lease, rateRatio)
                    .guard(Duration.ofNanos(Math.max(guardNanos, shareOf(lease, guardNanos))))
                    .renew(Duration.ofNanos(shareOf(lease, renewNanos)))
                    .answer(Duration.ofNanos(answerNanos))
                    .retry(Duration.ofNanos(retryNanos))
                    .drain(Duration.ZERO)
                    .poll(Duration.ofNanos(pollNanos))
                    .leaderPoll(Duration.ofNanos(leaderPollNanos))
                    .splay(Duration.ofNanos(splayNanos))
                    .coolDown(Duration.ofNanos(coolDownNanos))
                    .build();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("registrationLease does not fit: " + e.getMessage(), e);
        }
    }

    private long shareOf(Duration lease, long nanos) {
        long other = boundedNanos(lease);
        return other == leaseNanos ? nanos : (long) (nanos * ((double) other / leaseNanos));
    }

    /** The window of a grant of {@code granted} nanoseconds that was requested at {@code sent}. */
    public LeaseWindow window(Now sent, long granted) {
        LeaseTiming scaled = granted(granted);
        return new LeaseWindow(sent, scaled.stopNanos(scaled.leaseNanos), scaled.endNanos(scaled.leaseNanos));
    }

    private long endNanos(long lease) {
        return (long) (lease / rateRatio) - guardNanos;
    }

    private long stopNanos(long lease) {
        return endNanos(lease) - drainNanos;
    }

    /** L: how long a term lives without renewal, as others count it. */
    public Duration lease() {
        return Duration.ofNanos(leaseNanos);
    }

    /** L: how long a term lives without renewal, as others count it. */
    public long leaseNanos() {
        return leaseNanos;
    }

    /** q: the covered ratio of clock rates. */
    public double rateRatio() {
        return rateRatio;
    }

    /** Subtracted from the deadline. */
    public long guardNanos() {
        return guardNanos;
    }

    /** From the send of a confirmed renewal to the next one. */
    public long renewNanos() {
        return renewNanos;
    }

    /** How long an answer is awaited. */
    public long answerNanos() {
        return answerNanos;
    }

    /** From a missing answer to the next try. */
    public long retryNanos() {
        return retryNanos;
    }

    /** How long work may take to stop. */
    public long drainNanos() {
        return drainNanos;
    }

    /** How often a follower reads, before jitter. */
    public long pollNanos() {
        return pollNanos;
    }

    /**
     * How often a follower that does not campaign reads while hints work, before jitter: L/3, but not more often
     * than {@code poll}.
     */
    public long hintedPollNanos() {
        return Math.max(pollNanos, leaseNanos / 3);
    }

    /** How often the records of held elections are listed, where a session keeps the lease. */
    public long leaderPollNanos() {
        return leaderPollNanos;
    }

    /** The first read is delayed by a random part of this. */
    public long splayNanos() {
        return splayNanos;
    }

    /** The delay that each place adds where there is an order. */
    public long stepNanos() {
        return Math.max(1, leaseNanos / Ordered.STEPS_PER_LEASE);
    }

    /** The longest wait for a turn where there is an order. */
    public long turnMostNanos() {
        return Ordered.STEPS_MAX * stepNanos();
    }

    /**
     * The pause after {@code inARow} terms in a row ended by will or work: doubles from {@code coolDown}, at most 6 L.
     */
    public long coolDownNanos(int inARow) {
        long most = Math.max(coolDownNanos, 6 * leaseNanos);
        double doubled = coolDownNanos * Math.pow(2, Math.min(Math.max(inARow - 1, 0), 16));
        return doubled >= most ? most : (long) doubled;
    }

    /** How long a term on a session store may go on although no read has shown its record. */
    public long sightNanos() {
        return 2 * leaderPollNanos + answerNanos;
    }

    /**
     * The pause before a renewal is tried again after {@code failures} failures in a row. The first two pauses are the
     * retry spacing, so that three tries always fit; later ones grow, up to a poll.
     */
    long renewalRetryNanos(int failures) {
        long grown = retryNanos << Math.min(Math.max(failures - 2, 0), 20);
        return Math.min(grown, Math.max(retryNanos, pollNanos));
    }

    /** How many early retries one client may make per lease, on average. Retried renewals count, but never wait. */
    int retriesPerLease() {
        return (int) Math.max(RETRIES_MIN, leaseNanos / pollNanos);
    }

    /**
     * The most requests that one client sends in a lease while all is well. Each election is read as often as polls
     * allow, and won, led and given up once; leases are renewed; records under a session are listed, at worst a page
     * for each. A write that is refused without showing the record costs another read.
     */
    public int requestsPerLease(int elections, boolean sharesSession) {
        long polls = leaseNanos * 5 / (pollNanos * 4) + 1;
        long renewals = leaseNanos * 10 / (renewNanos * 9) + 1;
        long listings = leaseNanos * 10 / (leaderPollNanos * 9) + 1;
        long perClient = sharesSession ? renewals + SESSION_REQUESTS : 0;
        return (int) (elections * (polls + (sharesSession ? listings : renewals) + ROUND_REQUESTS) + perClient);
    }

    /** The pause after a permanent fault: a lease, but at most half a minute and at least a poll. */
    public long faultRetryNanos() {
        return Math.max(pollNanos, Math.min(leaseNanos, 30 * SECOND));
    }

    /** How long a term is believed after the send of its last confirmed renewal. */
    public Duration believedFor() {
        return Duration.ofNanos(stopNanos(leaseNanos));
    }

    /** The bounds that follow from these settings on a store with {@code traits} where all candidates race. */
    public Bounds bounds(StoreTraits traits) {
        return bounds(traits, false);
    }

    /**
     * The bounds that follow from these settings on a store with {@code traits}; {@code ordered} if the store, or a
     * queue, says who tries first.
     */
    public Bounds bounds(StoreTraits traits, boolean ordered) {
        boolean judged = traits.expiry() == Expiry.OBSERVER_JUDGES;
        long pollMost = pollNanos + pollNanos / 5;
        long freed = judged
                ? leaseNanos
                : (long) (leaseNanos * traits.expiryFactor())
                        + traits.expirySlack().toNanos()
                        + traits.lockDelay().toNanos();
        // Judging observers: the last renewal lands just after a poll's read (its answer, a pause, another answer),
        // then one write. Others: it lands an answer after it was sent, the vacancy is noticed a pause and an answer
        // later, then one write. Where there is an order, that write waits for the last turn at most.
        long turn = ordered ? turnMostNanos() : 0;
        long failover = freed + pollMost + 3 * answerNanos + turn;
        long forced = traits.leaseScope() == LeaseScope.SESSION ? sightNanos() : endNanos(leaseNanos);
        return new Bounds(
                Duration.ofNanos(failover),
                Duration.ofNanos(failover + 3 * answerNanos + 2 * pollMost),
                Duration.ofNanos(forced),
                Duration.ofNanos(drainNanos),
                Duration.ofNanos(judged ? leaseNanos : 0));
    }

    /**
     * What follows from settings and store, by a waiting candidate's clock.
     *
     * @param failover from the crash of a leader to the next one, while calls are answered in time and a
     *     candidate campaigns
     * @param recovery from the end of any fault to a leader, not counting cool-downs
     * @param forcedOverlap how long two may lead after a <em>forced</em> eviction; 0 is promised everywhere else
     * @param drain how long work may take to stop
     * @param coldStart how long a newcomer waits before it takes over a record whose holder it never saw alive
     */
    public record Bounds(
            Duration failover, Duration recovery, Duration forcedOverlap, Duration drain, Duration coldStart) {}

    /** {@code duration} in nanoseconds, from 0 to a year: stores and records may state anything. */
    static long boundedNanos(Duration duration) {
        return duration.isNegative()
                ? 0
                : duration.compareTo(Span.LONGEST) > 0 ? Span.LONGEST.toNanos() : duration.toNanos();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LeaseTiming t && all().equals(t.all());
    }

    @Override
    public int hashCode() {
        return all().hashCode();
    }

    private List<Number> all() {
        return List.of(
                leaseNanos,
                rateRatio,
                guardNanos,
                renewNanos,
                answerNanos,
                retryNanos,
                drainNanos,
                pollNanos,
                leaderPollNanos,
                splayNanos,
                coolDownNanos);
    }

    /** All settings, in words that {@code explain()} prints. */
    @Override
    public String toString() {
        return "lease=" + Span.text(leaseNanos) + " q=" + rateRatio + " guard=" + Span.text(guardNanos)
                + " renew="
                + Span.text(renewNanos) + " answer="
                + Span.text(answerNanos) + " retry=" + Span.text(retryNanos) + " drain="
                + Span.text(drainNanos) + " poll="
                + Span.text(pollNanos)
                + " leaderPoll=" + Span.text(leaderPollNanos) + " splay=" + Span.text(splayNanos) + " coolDown="
                + Span.text(coolDownNanos) + " step=" + Span.text(stepNanos());
    }

    /** Builds a {@link LeaseTiming}; settings that are not given take their default share of the lease. */
    public static final class Draft {
        private final Duration lease;
        private final double rateRatio;
        private @Nullable Duration guard;
        private @Nullable Duration renew;
        private @Nullable Duration answer;
        private @Nullable Duration retry;
        private @Nullable Duration drain;
        private @Nullable Duration poll;
        private @Nullable Duration leaderPoll;
        private @Nullable Duration splay;
        private @Nullable Duration coolDown;

        private Draft(Duration lease, double rateRatio) {
            this.lease = lease;
            this.rateRatio = rateRatio;
        }

        /** See {@link LeaseTiming#guardNanos()}. */
        public Draft guard(Duration value) {
            this.guard = value;
            return this;
        }

        /** See {@link LeaseTiming#renewNanos()}. */
        public Draft renew(Duration value) {
            this.renew = value;
            return this;
        }

        /** See {@link LeaseTiming#answerNanos()}. */
        public Draft answer(Duration value) {
            this.answer = value;
            return this;
        }

        /** See {@link LeaseTiming#retryNanos()}. */
        public Draft retry(Duration value) {
            this.retry = value;
            return this;
        }

        /** See {@link LeaseTiming#drainNanos()}. */
        public Draft drain(Duration value) {
            this.drain = value;
            return this;
        }

        /** See {@link LeaseTiming#pollNanos()}. */
        public Draft poll(Duration value) {
            this.poll = value;
            return this;
        }

        /** See {@link LeaseTiming#leaderPollNanos()}. */
        public Draft leaderPoll(Duration value) {
            this.leaderPoll = value;
            return this;
        }

        /** See {@link LeaseTiming#splayNanos()}. */
        public Draft splay(Duration value) {
            this.splay = value;
            return this;
        }

        /** See {@link LeaseTiming#coolDownNanos(int)}. */
        public Draft coolDown(Duration value) {
            this.coolDown = value;
            return this;
        }

        /**
         * The settings.
         *
         * @throws IllegalArgumentException if they cannot work together; names both numbers and what to change
         */
        public LeaseTiming build() {
            return new LeaseTiming(this);
        }
    }
}
