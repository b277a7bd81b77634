package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionException;
import dev.mandate.Leadership;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;

/** What all trials with clients in this process share: their store, and helpers for clients. */
abstract class StoreTrialFixture {
    static final Duration PATIENCE = Duration.ofMinutes(1);

    /** The store of the test class, the same each time. */
    protected abstract TrialStore store();

    /** A name that no other trial has. */
    static String named(String what) {
        return what + "-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
    }

    final ElectionClient client(String candidate) {
        return client(store().url(), candidate);
    }

    static ElectionClient client(String url, String candidate) {
        return ElectionClient.builder(url)
                .candidate(candidate)
                .connectTimeout(PATIENCE)
                .connect();
    }

    static Leadership leads(ElectionClient client, String election) throws InterruptedException {
        return client.election(election)
                .campaign("x", PATIENCE)
                .orElseThrow(() -> new AssertionError("nobody leads " + election));
    }

    /**
     * The store's answer, once there is one: a busy machine may delay it, and an emptied store may still lack what
     * another client is creating.
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

    final void awaitNothingLeft(RecordKey prefix) {
        List<String> left = new ArrayList<>();
        try {
            Await.until("nothing to be left of " + prefix, PATIENCE, () -> {
                left.clear();
                left.addAll(store().left(prefix));
                return left.isEmpty();
            });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; left: " + left, e);
        }
    }

    final StoreTraits traits() {
        StoreUrl parsed = StoreUrl.parse(store().url());
        try (ElectionStore store = ServiceLoader.load(ElectionStoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains(parsed.scheme()))
                .findFirst()
                .orElseThrow()
                .open(parsed)) {
            return store.traits();
        }
    }

    final void say(String name, String what) {
        System.out.println("[trial] " + getClass().getSimpleName() + " " + name + ": " + what);
    }

    final void sayTook(String name, String what, long sinceNanos, Duration bound) {
        Duration took = Duration.ofNanos(System.nanoTime() - sinceNanos);
        say(name, what + " after " + took.toMillis() + " ms, bound " + bound.toMillis() + " ms");
    }

    /**
     * Fails if it took longer than the bound, which assumes timely answers.
     *
     * @param stalled how long the machine kept due threads from running meanwhile; see {@link Stalls}
     */
    final void requireWithin(String name, String what, Duration took, Duration bound, Duration stalled) {
        say(
                name,
                what + " after " + took.toMillis() + " ms, bound " + bound.toMillis() + " ms, stalled for "
                        + stalled.toMillis() + " ms");
        assertThat(took).as(what).isLessThanOrEqualTo(bound.plus(stalled));
    }

    final <T> T orNotTried(String what, Optional<T> found) {
        if (found.isEmpty()) {
            say(what, "not tried, this store has none");
            Assumptions.abort(what + ": this store has none");
        }
        return found.get();
    }
}
