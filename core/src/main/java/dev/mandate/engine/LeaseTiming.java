package dev.mandate.engine;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All arithmetic of leases, in one place. Immutable; refuses settings that cannot work, naming both numbers.
 *
 * <p>The settings are those of the client's builder; most defaults are shares of the lease L.
 *
 * <p>With the defaults a term is believed for L/maxClockRatio − deadlineMargin − drainTimeout = 0.73 L after the send
 * of its last confirmed renewal. Three complete tries fit in that time; the last one is answered at 0.58 L. The shares
 * stay the same if a store grants less than requested.
 */
public final class LeaseTiming {
    private static final long SECOND = 1_000_000_000L;
    private static final long RECORD_CHECK_NANOS = 30 * SECOND;
    private static final int TRIES = 3;
    private static final int RETRIES_MIN = 8;
    /** Read, acquire, read again, publish a value, release, read who follows. */
    private static final int ROUND_REQUESTS = 6;
    /** Open a session and end it. */
    private static final int SESSION_REQUESTS = 2;

    private static final long SHORTEST_NANOS = 1_000_000L;

    private final long leaseNanos;
    /** One object for all records that state it. */
    private final Duration lease;

    private final double maxClockRatio;
    private final long deadlineMarginNanos;
    private final long renewIntervalNanos;
    private final long requestTimeoutNanos;
    private final long retryIntervalNanos;
    private final long drainTimeoutNanos;
    private final long pollIntervalNanos;
    private final long recordCheckIntervalNanos;
    private final long splayNanos;
    private final long coolDownNanos;

    private LeaseTiming(Draft d) {
        this.leaseNanos = d.positive("lease", 0);
        this.lease = Duration.ofNanos(leaseNanos);
        this.maxClockRatio = d.maxClockRatio;
        this.deadlineMarginNanos = d.notNegative("deadlineMargin", leaseNanos / 100);
        this.renewIntervalNanos = d.positive("renewInterval", leaseNanos / 3);
        this.requestTimeoutNanos = d.positive("requestTimeout", leaseNanos / 15);
        this.retryIntervalNanos = d.positive("retryInterval", leaseNanos / 40);
        this.drainTimeoutNanos = d.notNegative("drainTimeout", leaseNanos / 6);
        this.pollIntervalNanos = d.positive("pollInterval", leaseNanos / 10);
        this.recordCheckIntervalNanos = d.positive("recordCheckInterval", RECORD_CHECK_NANOS);
        this.splayNanos = d.notNegative("splay", leaseNanos / 50);
        this.coolDownNanos = d.notNegative("coolDown", leaseNanos / 4);
        validate();
    }

    /**
     * All settings of {@code asked}, shrunk alike. They still fit together, except for roundings,
     * which are not refused.
     */
    private LeaseTiming(LeaseTiming asked, long granted) {
        double share = (double) granted / asked.leaseNanos;
        this.leaseNanos = granted;
        this.lease = Duration.ofNanos(granted);
        this.maxClockRatio = asked.maxClockRatio;
        this.deadlineMarginNanos = (long) Math.ceil(asked.deadlineMarginNanos * share);
        this.renewIntervalNanos = shrunk(asked.renewIntervalNanos, share);
        this.requestTimeoutNanos = shrunk(asked.requestTimeoutNanos, share);
        this.retryIntervalNanos = shrunk(asked.retryIntervalNanos, share);
        this.drainTimeoutNanos = (long) (asked.drainTimeoutNanos * share);
        this.pollIntervalNanos = shrunk(asked.pollIntervalNanos, share);
        this.recordCheckIntervalNanos = asked.recordCheckIntervalNanos;
        this.splayNanos = (long) (asked.splayNanos * share);
        this.coolDownNanos = (long) (asked.coolDownNanos * share);
    }

    /** However short a granted lease is, it makes nothing happen more than a thousand times a second. */
    private static long shrunk(long nanos, double share) {
        return Math.max((long) (nanos * share), Math.min(nanos, SHORTEST_NANOS));
    }

    private void validate() {
        if (!(maxClockRatio >= 1.0 && maxClockRatio <= 2.0)) {
            throw new IllegalArgumentException(
                    "maxClockRatio is " + maxClockRatio + "; it must be between 1.0 and 2.0");
        }
        long end = endNanos(leaseNanos);
        if (end <= 0) {
            throw new IllegalArgumentException(
                    "lease " + Span.text(leaseNanos) + " divided by maxClockRatio " + maxClockRatio
                            + " leaves nothing after a deadlineMargin of " + Span.text(deadlineMarginNanos)
                            + "; lengthen the lease or shorten deadlineMargin");
        }
        if (drainTimeoutNanos >= end) {
            throw new IllegalArgumentException("drainTimeout " + Span.text(drainTimeoutNanos)
                    + " leaves no time to lead in a lease of " + Span.text(leaseNanos) + " (believed for "
                    + Span.text(end) + "); lengthen the lease or shorten drainTimeout");
        }
        long triesDone = renewIntervalNanos + TRIES * requestTimeoutNanos + (TRIES - 1) * retryIntervalNanos;
        if (triesDone > stopNanos(leaseNanos)) {
            throw new IllegalArgumentException(
                    "three tries to renew (renewInterval " + Span.text(renewIntervalNanos) + ", requestTimeout "
                            + Span.text(requestTimeoutNanos) + ", retryInterval "
                            + Span.text(retryIntervalNanos) + ") end " + Span.text(triesDone)
                            + " after the last renewal, but draining begins at "
                            + Span.text(stopNanos(leaseNanos)) + " (lease " + Span.text(leaseNanos)
                            + " / maxClockRatio " + maxClockRatio
                            + " - deadlineMargin "
                            + Span.text(deadlineMarginNanos)
                            + " - drainTimeout " + Span.text(drainTimeoutNanos)
                            + "); lengthen the lease or shorten the others");
        }
        if (pollIntervalNanos > leaseNanos) {
            throw new IllegalArgumentException("pollInterval " + Span.text(pollIntervalNanos)
                    + " is longer than the lease " + Span.text(leaseNanos) + "; shorten pollInterval");
        }
    }

    /** The defaults for a lease. */
    public static LeaseTiming of(Duration lease) {
        return of(lease, 1.1).build();
    }

    /** A draft with another rate ratio; see the table for the rest. */
    public static Draft of(Duration lease, double maxClockRatio) {
        return new Draft(lease, maxClockRatio);
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
     * own lease. Renewals and the margin, which is never shortened, keep their share of it. What depends on the store
     * and not on the lease ({@code requestTimeout}, {@code retryInterval}, {@code pollInterval}, {@code
     * recordCheckInterval}, {@code splay}, {@code coolDown}) stays the same.
     *
     * @param lease how long a registration lives without renewal; {@link #lease()} where a session keeps it
     * @throws IllegalArgumentException if three tries to renew don't fit into {@code lease}; names both numbers
     */
    public LeaseTiming registering(Duration lease) {
        try {
            return of(lease, maxClockRatio)
                    .deadlineMargin(
                            Duration.ofNanos(Math.max(deadlineMarginNanos, shareOf(lease, deadlineMarginNanos))))
                    .renewInterval(Duration.ofNanos(shareOf(lease, renewIntervalNanos)))
                    .requestTimeout(Duration.ofNanos(requestTimeoutNanos))
                    .retryInterval(Duration.ofNanos(retryIntervalNanos))
                    .drainTimeout(Duration.ZERO)
                    .pollInterval(Duration.ofNanos(pollIntervalNanos))
                    .recordCheckInterval(Duration.ofNanos(recordCheckIntervalNanos))
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
        return (long) (lease / maxClockRatio) - deadlineMarginNanos;
    }

    private long stopNanos(long lease) {
        return endNanos(lease) - drainTimeoutNanos;
    }

    /** L: how long a term lives without renewal, as others count it. */
    public Duration lease() {
        return lease;
    }

    /** L: how long a term lives without renewal, as others count it. */
    public long leaseNanos() {
        return leaseNanos;
    }

    /** The covered ratio of clock rates. */
    public double maxClockRatio() {
        return maxClockRatio;
    }

    /** Subtracted from the deadline. */
    public long deadlineMarginNanos() {
        return deadlineMarginNanos;
    }

    /** From the send of a confirmed renewal to the next one. */
    public long renewIntervalNanos() {
        return renewIntervalNanos;
    }

    /** How long an answer is awaited. */
    public long requestTimeoutNanos() {
        return requestTimeoutNanos;
    }

    /** From a missing answer to the next try. */
    public long retryIntervalNanos() {
        return retryIntervalNanos;
    }

    /** How long work may take to stop. */
    public long drainTimeoutNanos() {
        return drainTimeoutNanos;
    }

    /** How often a follower reads, before jitter. */
    public long pollIntervalNanos() {
        return pollIntervalNanos;
    }

    /**
     * How often a follower that does not campaign reads while hints work, before jitter: L/3, but not more often
     * than {@code pollInterval}.
     */
    public long hintedPollIntervalNanos() {
        return Math.max(pollIntervalNanos, leaseNanos / 3);
    }

    /** How often the records of held elections are listed, where a session keeps the lease. */
    public long recordCheckIntervalNanos() {
        return recordCheckIntervalNanos;
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
        return 2 * recordCheckIntervalNanos + requestTimeoutNanos;
    }

    /**
     * The pause before a renewal is tried again after {@code failures} failures in a row. The first two pauses are the
     * retry spacing, so that three tries always fit; later ones grow, up to a poll.
     */
    long renewalRetryNanos(int failures) {
        long grown = retryIntervalNanos << Math.min(Math.max(failures - 2, 0), 20);
        return Math.min(grown, Math.max(retryIntervalNanos, pollIntervalNanos));
    }

    /** How many early retries one client may make per lease, on average. Retried renewals count, but never wait. */
    int retriesPerLease() {
        return (int) Math.max(RETRIES_MIN, leaseNanos / pollIntervalNanos);
    }

    /**
     * The most requests that one client sends in a lease while all is well. Each election is read as often as polls
     * allow, and won, led and given up once; leases are renewed; records under a session are listed, at worst a page
     * for each. A write that is refused without showing the record costs another read.
     */
    public int requestsPerLease(int elections, boolean sharesSession) {
        long polls = leaseNanos * 5 / (pollIntervalNanos * 4) + 1;
        long renewals = leaseNanos * 10 / (renewIntervalNanos * 9) + 1;
        long listings = leaseNanos * 10 / (recordCheckIntervalNanos * 9) + 1;
        long perClient = sharesSession ? renewals + SESSION_REQUESTS : 0;
        return (int) (elections * (polls + (sharesSession ? listings : renewals) + ROUND_REQUESTS) + perClient);
    }

    /** The pause after a permanent fault: a lease, but at most half a minute and at least a poll. */
    public long faultRetryNanos() {
        return Math.max(pollIntervalNanos, Math.min(leaseNanos, 30 * SECOND));
    }

    /**
     * The most nanoseconds that a store with {@code traits} grants if this lease is requested: at least its shortest
     * lease, rounded up to whole steps.
     */
    public long grantedMostNanos(StoreTraits traits) {
        long requested = Math.max(leaseNanos, traits.leaseMin().toNanos());
        long step = Math.max(1, traits.leaseStep().toNanos());
        return (requested + step - 1) / step * step;
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
        long pollMost = pollIntervalNanos + pollIntervalNanos / 5;
        long granted = grantedMostNanos(traits);
        long freed = judged
                ? granted
                : (long) (granted * traits.expiryFactor())
                        + traits.expirySlack().toNanos()
                        + traits.lockDelay().toNanos();
        // Judging observers: the last renewal lands just after a poll's read (its answer, a pause, another answer),
        // then one write. Others: it lands an answer after it was sent, the vacancy is noticed a pause and an answer
        // later, then one write. Where there is an order, that write waits for the last turn at most.
        long turn = ordered ? turnMostNanos() : 0;
        long failover = freed + pollMost + 3 * requestTimeoutNanos + turn;
        long forced = traits.leaseScope() == LeaseScope.SESSION ? sightNanos() : endNanos(leaseNanos);
        return new Bounds(
                Duration.ofNanos(failover),
                Duration.ofNanos(failover + 3 * requestTimeoutNanos + 2 * pollMost),
                Duration.ofNanos(forced),
                Duration.ofNanos(judged ? leaseNanos : 0));
    }

    /**
     * What follows from settings and store, by a waiting candidate's clock.
     *
     * @param failover from the crash of a leader to the next one, while calls are answered in time and a
     *     candidate campaigns
     * @param recovery from the end of any fault to a leader, not counting cool-downs
     * @param forcedOverlap how long two may lead after a <em>forced</em> eviction; 0 is promised everywhere else
     * @param coldStart how long a newcomer waits before it takes over a record whose holder it never saw alive
     */
    public record Bounds(Duration failover, Duration recovery, Duration forcedOverlap, Duration coldStart) {}

    /** {@code duration} in nanoseconds, from 0 to a year: stores and records may state anything. */
    static long boundedNanos(Duration duration) {
        return duration.isNegative()
                ? 0
                : duration.compareTo(Span.LONGEST) > 0 ? Span.LONGEST.toNanos() : duration.toNanos();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LeaseTiming t && maxClockRatio == t.maxClockRatio && all().equals(t.all());
    }

    @Override
    public int hashCode() {
        return all().hashCode();
    }

    /** All durations in nanoseconds, by the names that the client's builder and messages have for them. */
    public Map<String, Long> all() {
        Map<String, Long> all = new LinkedHashMap<>();
        all.put("lease", leaseNanos);
        all.put("deadlineMargin", deadlineMarginNanos);
        all.put("renewInterval", renewIntervalNanos);
        all.put("requestTimeout", requestTimeoutNanos);
        all.put("retryInterval", retryIntervalNanos);
        all.put("drainTimeout", drainTimeoutNanos);
        all.put("pollInterval", pollIntervalNanos);
        all.put("recordCheckInterval", recordCheckIntervalNanos);
        all.put("splay", splayNanos);
        all.put("coolDown", coolDownNanos);
        all.put("step", stepNanos());
        return all;
    }

    /** All settings, for people. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("maxClockRatio=").append(maxClockRatio);
        all().forEach((name, nanos) -> text.append(' ').append(name).append('=').append(Span.text(nanos)));
        return text.toString();
    }

    /** Builds a {@link LeaseTiming}; settings that are not given take their default share of the lease. */
    public static final class Draft {
        private final Map<String, Duration> given = new HashMap<>();
        private final double maxClockRatio;

        private Draft(Duration lease, double maxClockRatio) {
            given.put("lease", lease);
            this.maxClockRatio = maxClockRatio;
        }

        /** Sets one of {@link LeaseTiming#all()} by its name; others are ignored. */
        public Draft set(String name, Duration value) {
            given.put(name, value);
            return this;
        }

        private long positive(String name, long otherwise) {
            return Span.positive(name, given.get(name), otherwise);
        }

        private long notNegative(String name, long otherwise) {
            return Span.notNegative(name, given.get(name), otherwise);
        }

        /** See {@link LeaseTiming#deadlineMarginNanos()}. */
        public Draft deadlineMargin(Duration value) {
            return set("deadlineMargin", value);
        }

        /** See {@link LeaseTiming#renewIntervalNanos()}. */
        public Draft renewInterval(Duration value) {
            return set("renewInterval", value);
        }

        /** See {@link LeaseTiming#requestTimeoutNanos()}. */
        public Draft requestTimeout(Duration value) {
            return set("requestTimeout", value);
        }

        /** See {@link LeaseTiming#retryIntervalNanos()}. */
        public Draft retryInterval(Duration value) {
            return set("retryInterval", value);
        }

        /** See {@link LeaseTiming#drainTimeoutNanos()}. */
        public Draft drainTimeout(Duration value) {
            return set("drainTimeout", value);
        }

        /** See {@link LeaseTiming#pollIntervalNanos()}. */
        public Draft pollInterval(Duration value) {
            return set("pollInterval", value);
        }

        /** See {@link LeaseTiming#recordCheckIntervalNanos()}. */
        public Draft recordCheckInterval(Duration value) {
            return set("recordCheckInterval", value);
        }

        /** See {@link LeaseTiming#splayNanos()}. */
        public Draft splay(Duration value) {
            return set("splay", value);
        }

        /** See {@link LeaseTiming#coolDownNanos(int)}. */
        public Draft coolDown(Duration value) {
            return set("coolDown", value);
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
