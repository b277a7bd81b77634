package dev.mandate.nats;

import dev.mandate.spi.Causes;
import dev.mandate.spi.Excerpt;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A bucket as last examined, and its servers.
 *
 * @param version the version of the server we are connected to
 * @param isClustered whether that server is one of several
 * @param expiring what ends a lease
 * @param ttl the bucket's time to live
 * @param markerTtl how long the marker of an expired key stays; zero if the bucket has no such markers
 * @param replicas how many servers keep it
 * @param inMemory whether a restart empties it
 * @param valueBytesMax the longest value of a leader
 * @param created when it was created, which is its identity: another bucket of the same name has another time. Edits,
 *     restarts and backups keep it, and all servers of the bucket agree on it
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
    /** From this lifetime on, the step is {@link #STEP_MAX}. Computed once, because every renewal asks. */
    private static final Duration FULL_STEP_FROM = STEP_MAX.multipliedBy(STEP_SHARE);

    /** The domain in words. */
    static String domain(String name) {
        return name.isEmpty()
                ? "no JetStream domain"
                : "the JetStream domain '" + Excerpt.line(name, Causes.LINE_MAX) + "'";
    }

    /** Whether a watch is notified when a key expires. */
    boolean tellsOfExpiry() {
        return !markerTtl.isZero();
    }

    /** How long a key written for a lease lives; in whole seconds if the key has its own time to live. */
    Duration lifetime(Duration lease) {
        long whole = Math.max(1, lease.plusNanos(999_999_999).getSeconds());
        return expiring == Expiring.BUCKET ? ttl : Duration.ofSeconds(Math.min(whole, ttl.getSeconds()));
    }

    /** The time to live to write with a key; null for that of the bucket. */
    @Nullable
    Duration own(Duration lease) {
        // Servers accept none below a second. The bucket's own may still end it sooner.
        return expiring == Expiring.BUCKET
                ? null
                : Duration.ofSeconds(Math.max(1, lifetime(lease).getSeconds()));
    }

    /**
     * How long a leader may count on a key: its lifetime, less the time by which a server's clock may be set forward.
     * Zero if the bucket's time to live became too short.
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
        return lifetime.compareTo(FULL_STEP_FROM) < 0 ? lifetime.dividedBy(STEP_SHARE) : STEP_MAX;
    }
}
