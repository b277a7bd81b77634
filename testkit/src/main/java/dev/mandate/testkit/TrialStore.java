package dev.mandate.testkit;

import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A store as trials with their own clients use it, and what an operator does there by hand. */
public interface TrialStore {
    /**
     * A client that may use elections but may not write below one other prefix.
     *
     * @param url the client's, with its lease in it
     * @param words what the report of the missing right must contain
     * @param server closed after the trial
     */
    record Restricted(String url, List<String> words, AutoCloseable server) {}

    /**
     * The URL of a client in this process, with {@code lease} in it, and the same {@code registrationLease} where each
     * record has its own lease.
     *
     * @param lease from {@link #lease()} to {@link #longLease()}
     */
    String url(Duration lease);

    /** The same with {@link #lease()}. */
    default String url() {
        return url(lease());
    }

    /** The URL of a client in another process. */
    default String urlOfProcess() {
        return url();
    }

    /** A short lease that the store grants. */
    Duration lease();

    /** A lease so long that no machine delays a thread by a fiftieth of it. */
    default Duration longLease() {
        return Duration.ofMinutes(1);
    }

    /** Whether its watch reports at once: where changes are found by polling, an order is approximate. */
    default boolean tellsAtOnce() {
        return true;
    }

    /** A client's own way to the store; empty if there is nothing to cut. */
    default Optional<StoreWay> way() throws Exception {
        return Optional.empty();
    }

    /** A store that refuses writes in {@code space}; empty if the store has no such rights. */
    default Optional<Restricted> restricted(String space, Duration lease) throws Exception {
        return Optional.empty();
    }

    /** A private store for one trial, which disturbs it; empty if there is none. */
    default Optional<OwnStore> own() throws Exception {
        return Optional.empty();
    }

    /** Deletes a record, as an operator would. Its names contain only letters, digits and hyphens. */
    void delete(RecordKey key) throws Exception;

    /** Lists what an operator finds below {@code prefix}; empty if it looks as if never used. */
    List<String> left(RecordKey prefix) throws Exception;

    /** Called while a watch is cut off, after records have come and gone. */
    default void whileCutOff() throws Exception {}
}
