package dev.mandate.nats;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a bucket is made like, and what is demanded of one that is there.
 *
 * @param create whether it may be made
 * @param replicas how many servers keep it; 0 where the URL does not say: one is made, any number will do
 * @param ttl its time to live; null where the URL does not say
 * @param expiring what ends a lease; null for what the bucket admits
 * @param inMemory whether it is kept in memory: the URL says so, because nobody should by accident
 */
record WantedBucket(
        boolean create,
        int replicas,
        @Nullable Duration ttl,
        @Nullable Expiring expiring,
        boolean inMemory) {}
