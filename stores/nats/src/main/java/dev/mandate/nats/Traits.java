package dev.mandate.nats;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The traits of a bucket, for the engine and for people. */
final class Traits {
    private static final Duration LEASE_MIN = Duration.ofSeconds(1);
    private static final Duration LEASE_MAX = Duration.ofDays(1);
    private static final Duration STEP = Duration.ofSeconds(1);

    /** Servers scan for expired keys only now and then; 317 ms were measured. */
    private static final Duration SLACK = Duration.ofSeconds(1);

    private Traits() {}

    private static StoreTraits base() {
        return StoreTraits.of("NATS", Expiry.STORE_REMOVES, LeaseScope.RECORD)
                .withExpiry(1.0, SLACK)
                .withWatch(true)
                .withOrderedTerms(true)
                .withLeaseBounds(LEASE_MIN, LEASE_MAX, STEP);
    }

    /** Before the bucket was examined, which happens before use; one that does not fit the lease is refused. */
    static StoreTraits unseen(NatsSettings settings) {
        return base().withReserve(reserve(settings, null)).withAssumptions(assumptions(settings, null));
    }

    static StoreTraits of(NatsSettings settings, Bucket bucket) {
        StoreTraits traits = base().withValueBytesMax(bucket.valueBytesMax())
                .withReserve(reserve(settings, bucket))
                .withAssumptions(assumptions(settings, bucket));
        return bucket.expiring() == Expiring.BUCKET
                ? traits.withLeaseBounds(bucket.ttl(), bucket.ttl(), Duration.ofMillis(1))
                : traits.withLeaseBounds(LEASE_MIN, bucket.ttl(), STEP);
    }

    /** How much of a lease is held back in case a server's clock is set forward meanwhile. */
    private static Duration reserve(NatsSettings settings, @Nullable Bucket bucket) {
        Duration lease = settings.lease();
        Duration most = settings.clockStep() == null ? Bucket.STEP_MAX : settings.clockStep();
        return lease == null || bucket == null ? most : lease.minus(bucket.granted(lease, settings.clockStep()));
    }

    private static String[] assumptions(NatsSettings settings, @Nullable Bucket bucket) {
        List<String> all = new ArrayList<>();
        all.add("the servers keep what they confirmed. By default they write it to disk within two minutes only"
                + " (sync_interval): a power failure of the one server, or of most of a cluster, may forget who leads,"
                + " and give a token again that was given in the lost time; no client leads in an election by a smaller"
                + " one than it saw there");
        Duration lifetime = bucket == null || settings.lease() == null ? null : bucket.lifetime(settings.lease());
        String step = settings.clockStep() == null && lifetime == null
                ? "a tenth of the lease, 500 ms at most,"
                : Bucket.step(lifetime == null ? Duration.ZERO : lifetime, settings.clockStep())
                                .toMillis() + " ms";
        all.add("no server's wall clock is set forward, or differs from that of the next server, by more than " + step
                + " while a lease runs: leases end by it (clockStep)");
        all.add(
                "all candidates use one bucket: servers of two clusters or JetStream domains (a hub and a leaf node) have two"
                        + " of one name, each with a leader, and candidates that see one of them alone can't notice; mandate doctor"
                        + " with the servers of both does");
        if (bucket != null && bucket.replicas() == 1) {
            all.add("the one server that keeps the bucket does not lose its disk: replicas=3 in a cluster needs no"
                    + " such luck");
        }
        if (bucket != null && bucket.inMemory()) {
            all.add("the servers that keep the bucket in memory are not all restarted while candidates run");
        }
        all.add(
                "nobody restores an older copy of the bucket's stream, deletes or purges it, or shortens its time to live,"
                        + " while candidates run");
        all.add(
                bucket == null || bucket.expiring() == Expiring.KEY
                        ? "only Mandate writes to the keys of elections: where each key has a time to live of its own,"
                                + " candidates of the recipe in Go do not know when a lease ends (they work with"
                                + " expiring=bucket)"
                        : "only Mandate, and candidates of the recipe in Go, write to the keys of elections");
        return all.toArray(String[]::new);
    }
}
