package dev.mandate.nats;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Connection timings, derived from the lease so that failover stays within its bound.
 *
 * @param connect how long connecting to one server may take
 * @param report how long to wait for the reason after a failed try
 * @param answer how long to wait for answers about the bucket before a connection is used
 * @param ping the time between pings
 * @param pauseMost the longest pause between two rounds of all servers
 */
record Pace(Duration connect, Duration report, Duration answer, Duration ping, Duration pauseMost) {
    /** More unanswered pings than this end a connection. */
    static final int PINGS_MAX = 2;

    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration TWO_SECONDS = Duration.ofSeconds(2);
    private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

    /** The pace for a lease; null if it is not known. */
    static Pace of(@Nullable Duration known) {
        Duration lease = lease(known);
        return new Pace(
                share(lease, 5, HALF_A_SECOND, TWO_SECONDS),
                share(lease, 20, Duration.ofMillis(100), HALF_A_SECOND),
                share(lease, 2, HALF_A_SECOND, TWO_SECONDS),
                share(lease, 10, Duration.ofMillis(250), TWO_SECONDS),
                share(lease, 5, Duration.ofMillis(200), TWO_SECONDS));
    }

    /** The lease, or the default if it is not known. */
    static Duration lease(@Nullable Duration known) {
        return known == null ? LEASE : known;
    }

    private static Duration share(Duration lease, long part, Duration min, Duration max) {
        Duration share = lease.dividedBy(part);
        return share.compareTo(min) < 0 ? min : share.compareTo(max) > 0 ? max : share;
    }
}
