package dev.mandate.nats;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a bucket is created, and what an existing one must have.
 *
 * @param create whether it may be created
 * @param replicas how many servers keep it; 0 if the URL does not say: created with one, any number accepted
 * @param ttl its time to live; null if the URL does not say
 * @param expiring what ends a lease; null for what the bucket admits
 * @param inMemory whether it may be kept in memory, which the URL must ask for explicitly
 */
record WantedBucket(
        boolean create,
        int replicas,
        @Nullable Duration ttl,
        @Nullable Expiring expiring,
        boolean inMemory) {}
