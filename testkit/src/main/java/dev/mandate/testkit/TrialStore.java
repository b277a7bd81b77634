package dev.mandate.testkit;

import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A store as trials with clients of their own use it, and what an operator does there by hand. */
public interface TrialStore {
    /**
     * Somebody who may use elections and nothing below one other prefix.
     *
     * @param url the client's, with its lease in it
     * @param words what must be said of the missing right
     * @param server closed after the trial
     */
    record Restricted(String url, List<String> words, AutoCloseable server) {}

    /**
     * The URL of a client in this process, with {@code lease} in it, and the same as {@code registrationLease} where
     * each record has a lease of its own.
     *
     * @param lease from {@link #lease()} to {@link #longLease()}
     */
    String url(Duration lease);

    /** The same with {@link #lease()}. */
    default String url() {
        return url(lease());
    }

    /** That of a client in another process. */
    default String urlOfProcess() {
        return url();
    }

    /** A short lease that the store grants. */
    Duration lease();

    /** One of which no machine is kept from its work for a fiftieth. */
    default Duration longLease() {
        return Duration.ofMinutes(1);
    }

    /** Whether its watch tells at once: where changes are found by polling, an order is rough. */
    default boolean tellsAtOnce() {
        return true;
    }

    /** A client's own way to the store; empty if there is nothing that could be cut. */
    default Optional<StoreWay> way() throws Exception {
        return Optional.empty();
    }

    /** A store that refuses what is written in {@code space}; empty if the store has no such rights. */
    default Optional<Restricted> restricted(String space, Duration lease) throws Exception {
        return Optional.empty();
    }

    /** A store for one trial, which disturbs it; empty if there is none. */
    default Optional<OwnStore> own() throws Exception {
        return Optional.empty();
    }

    /** Deletes a record, as an operator does by hand. Its names have nothing but letters, digits and hyphens. */
    void delete(RecordKey key) throws Exception;

    /** What an operator finds below {@code prefix}; empty if it is as if it had never been used. */
    List<String> left(RecordKey prefix) throws Exception;

    /** Happens while a watch is cut off, after records have come and gone. */
    default void whileCutOff() throws Exception {}
}
