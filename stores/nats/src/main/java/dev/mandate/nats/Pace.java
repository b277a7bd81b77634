package dev.mandate.nats;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How fast connections are made, and lost ones noticed: by the lease, so that somebody leads again within the bound that follows from it.
 *
 * @param connect how long one server may take for a connection
 * @param report how long it is awaited that one which gave none says why
 * @param answer how long an answer about the bucket is awaited, before a connection is used
 * @param ping how often a connection is tried
 * @param pauseMost how long it takes from one round of all servers to the next
 */
record Pace(Duration connect, Duration report, Duration answer, Duration ping, Duration pauseMost) {
    /** More of these without a pong are the end of a connection. */
    static final int PINGS_MAX = 2;

    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration TWO_SECONDS = Duration.ofSeconds(2);
    private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

    /**
     * That of a lease.
     *
     * @param known null if nobody said which it is
     */
    static Pace of(@Nullable Duration known) {
        Duration lease = known == null ? LEASE : known;
        return new Pace(
                share(lease, 5, HALF_A_SECOND, TWO_SECONDS),
                share(lease, 20, Duration.ofMillis(100), HALF_A_SECOND),
                share(lease, 2, HALF_A_SECOND, TWO_SECONDS),
                share(lease, 10, Duration.ofMillis(250), TWO_SECONDS),
                share(lease, 5, Duration.ofMillis(200), TWO_SECONDS));
    }

    private static Duration share(Duration lease, long part, Duration min, Duration max) {
        Duration share = lease.dividedBy(part);
        return share.compareTo(min) < 0 ? min : share.compareTo(max) > 0 ? max : share;
    }
}
