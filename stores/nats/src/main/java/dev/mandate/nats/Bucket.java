package dev.mandate.nats;

import dev.mandate.spi.Causes;
import dev.mandate.spi.Excerpt;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A bucket that was looked at, and its servers.
 *
 * @param version that of the server we are connected to
 * @param isClustered whether that server is one of several
 * @param expiring what ends a lease
 * @param ttl the bucket's time to live
 * @param markerTtl how long a marker of an expired key stays; zero where there are none
 * @param replicas how many servers keep it
 * @param inMemory whether a restart empties it
 * @param valueBytesMax the longest value of a leader
 * @param created when it was made, which is its identity: another bucket of the same name was made at another time. Kept by edits, restarts and
 *     backups, and the same on every server that keeps the bucket
 * @param domain the JetStream domain of its servers; empty for none
 */
record Bucket(
        ServerVersion version,
        boolean isClustered,
        Expiring expiring,
        Duration ttl,
        Duration markerTtl,
        int replicas,
        boolean inMemory,
        int valueBytesMax,
        String created,
        String domain) {
    static final Duration STEP_MAX = Duration.ofMillis(500);
    private static final int STEP_SHARE = 10;
    private static final Duration OWN_MIN = Duration.ofSeconds(1);

    /** In words. */
    static String domain(String name) {
        return name.isEmpty()
                ? "no JetStream domain"
                : "the JetStream domain '" + Excerpt.line(name, Causes.LINE_MAX) + "'";
    }

    /** Whether everybody who watches is told when a key expired. */
    boolean tellsOfExpiry() {
        return !markerTtl.isZero();
    }

    /** How long a key lives that is written for a lease, in whole seconds where it is its own. */
    Duration lifetime(Duration lease) {
        if (expiring == Expiring.BUCKET) {
            return ttl;
        }
        Duration whole =
                Duration.ofSeconds(Math.max(1, lease.plusNanos(999_999_999).getSeconds()));
        Duration most = Duration.ofSeconds(ttl.getSeconds());
        return whole.compareTo(most) < 0 ? whole : most;
    }

    /** What is written with a key as its own time to live; null for that of the bucket. */
    @Nullable
    Duration own(Duration lease) {
        if (expiring == Expiring.BUCKET) {
            return null;
        }
        Duration lifetime = lifetime(lease);
        // Servers take no shorter one. That of the bucket ends it sooner all the same.
        return lifetime.compareTo(OWN_MIN) < 0 ? OWN_MIN : lifetime;
    }

    /**
     * How long a leader may count on a key: its lifetime, but for how far the servers' clocks may be set forward meanwhile. Nothing is left where
     * somebody made the bucket's time to live that short.
     */
    Duration granted(Duration lease, @Nullable Duration clockStep) {
        Duration lifetime = lifetime(lease);
        Duration sure = lifetime.minus(step(lifetime, clockStep));
        return sure.isNegative() ? Duration.ZERO : sure.compareTo(lease) < 0 ? sure : lease;
    }

    static Duration step(Duration lifetime, @Nullable Duration given) {
        if (given != null) {
            return given;
        }
        Duration share = lifetime.dividedBy(STEP_SHARE);
        return share.compareTo(STEP_MAX) < 0 ? share : STEP_MAX;
    }
}
