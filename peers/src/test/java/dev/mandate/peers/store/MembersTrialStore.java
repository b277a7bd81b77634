package dev.mandate.peers.store;

import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.TrialStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A running group whose clients in this process are its members, by turns, and those of other processes guests. Who is
 * no member learns of changes by polling.
 */
final class MembersTrialStore implements TrialStore, AutoCloseable {
    private static final int MEMBERS = 5;
    private static final Duration LEASE = Duration.ofSeconds(3);

    /** How long members do not vote after their start. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(20);

    private final LiveGroup group;
    private final AtomicInteger next = new AtomicInteger();

    MembersTrialStore(Path directory) {
        this.group = new LiveGroup("peers", MEMBERS, directory, "&maxLease=" + LONG_LEASE.toSeconds() + "s").start();
    }

    private static String with(String url, Duration lease) {
        return url + "&lease=" + lease.toSeconds() + "s";
    }

    @Override
    public String url(Duration lease) {
        return with(group.member(next.getAndIncrement() % MEMBERS), lease);
    }

    @Override
    public String urlOfProcess() {
        return with(group.guest(), LEASE);
    }

    @Override
    public Duration lease() {
        return LEASE;
    }

    @Override
    public Duration longLease() {
        return LONG_LEASE;
    }

    @Override
    public void delete(RecordKey key) {
        GroupTrialStore.delete(group.store(0), key);
    }

    /** What is held: what is vacant is forgotten in two of the longest leases. */
    @Override
    public List<String> left(RecordKey prefix) {
        return GroupTrialStore.left(group.store(0), prefix, Observation.Held.class);
    }

    @Override
    public void close() {
        group.close();
    }
}
