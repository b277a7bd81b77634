package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionException;
import dev.mandate.Leadership;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;

/** What all trials of registrations have in common: what a store's module says of its store, and words for clients. */
abstract class RegistrationFixture {
    static final Duration PATIENCE = Duration.ofMinutes(1);

    /**
     * The URL of a client, with {@link #lease()} in it, and the same as {@code registrationLease} where each record has
     * a lease of its own.
     */
    protected abstract String url();

    /** A short lease that the store grants. */
    protected abstract Duration lease();

    /** A client's own way to the store; empty if there is nothing that could be cut. */
    protected abstract Optional<StoreWay> way() throws Exception;

    /** A store that refuses registrations; empty if the store has no such rights. */
    protected abstract Optional<RegistrationTrials.Restricted> restricted() throws Exception;

    /** A store for one trial, which disturbs it; empty if there is none. */
    protected Optional<OwnStore> own() throws Exception {
        return Optional.empty();
    }

    /** Deletes a registration, as an operator does by hand. */
    protected abstract void delete(String service, String id) throws Exception;

    /** What an operator finds of a service; empty if it is as if it had never been registered. */
    protected abstract List<String> left(String service) throws Exception;

    /** Happens while a watch is cut off, after instances have come and gone. */
    protected void whileCutOff() throws Exception {}

    // ---- what all have in common ----

    static String service(String what) {
        return what + "-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
    }

    final ElectionClient client(String candidate) {
        return client(url(), candidate);
    }

    static ElectionClient client(String url, String candidate) {
        return ElectionClient.at(url).candidate(candidate).startup(PATIENCE).connect();
    }

    static ServiceInstance instance(String id) {
        return ServiceInstance.at("10.0.0." + id + ":8080").withId(id);
    }

    static Registration registered(ElectionClient client, String service, ServiceInstance instance)
            throws InterruptedException {
        Registration registration = client.registry().register(service, instance);
        assertThat(registration.awaitRegistered(PATIENCE))
                .as("registered, state %s", registration.state())
                .isTrue();
        return registration;
    }

    static Leadership leads(ElectionClient client, String election) throws InterruptedException {
        return client.election(election)
                .campaign("x", PATIENCE)
                .orElseThrow(() -> new AssertionError("nobody leads " + election));
    }

    /**
     * What the store says once it answers: a busy machine may keep it from that, and one that was emptied may yet lack
     * what somebody else is making.
     */
    static <T> T asked(Supplier<T> question) {
        List<ElectionException> failures = new ArrayList<>();
        try {
            return Await.value("an answer", PATIENCE, () -> {
                try {
                    return Optional.of(question.get());
                } catch (ElectionException e) {
                    failures.add(e);
                    return Optional.empty();
                }
            });
        } catch (AssertionError e) {
            throw failures.isEmpty()
                    ? e
                    : new AssertionError(e.getMessage() + "; the last one: " + failures.get(failures.size() - 1), e);
        }
    }

    final void awaitNothingLeft(String service) {
        Await.until(
                "nothing to be left of " + service,
                PATIENCE,
                () -> left(service).isEmpty());
    }

    private ElectionStore open() {
        StoreUrl parsed = StoreUrl.parse(url());
        return ServiceLoader.load(ElectionStoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains(parsed.scheme()))
                .findFirst()
                .orElseThrow()
                .open(parsed);
    }

    /** {@link #left} for stores that no operator can look into. */
    protected final List<String> listed(ElectionStore store, String service) {
        List<String> found = new ArrayList<>();
        RecordKey prefix = RecordKey.registrations(service);
        for (Observation each : StoreClient.answer(store.list(prefix, Cursor.START, StoreClient.call()))
                .items()) {
            found.add(each.toString());
        }
        return found;
    }

    /** How long after its last renewal an instance is listed at the most. */
    final Duration goneWithin() {
        try (ElectionStore store = open()) {
            FollowingSettings following = new FollowingSettings(
                    LeaseTiming.of(lease()), store.traits().expiry(), FollowingSettings.RECORDS_MAX);
            return Duration.ofNanos(following.goneNanos(store.traits(), lease().toNanos(), 1));
        }
    }

    final void say(String service, String what) {
        System.out.println("[trial] " + getClass().getSimpleName() + " " + service + ": " + what);
    }

    final void sayTook(String service, String what, long sinceNanos, Duration bound) {
        Duration took = Duration.ofNanos(System.nanoTime() - sinceNanos);
        say(service, what + " after " + took.toMillis() + " ms, bound " + bound.toMillis() + " ms");
    }

    final <T> T orNotTried(String what, Optional<T> found) {
        if (found.isEmpty()) {
            say(what, "not tried, this store has none");
            Assumptions.abort(what + ": this store has none");
        }
        return found.get();
    }
}
