package dev.mandate.cli.bench;

import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.cli.ExitCode;
import dev.mandate.cli.Failure;
import dev.mandate.cli.StoreAddress;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;
import java.util.HexFormat;
import java.util.ServiceLoader;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What is measured.
 *
 * @param run tells this run's elections from those of others
 * @param isQuick fewer samples
 */
record Target(StoreAddress address, Explanation explanation, String run, boolean isQuick) {
    private static final Duration ANSWER = Duration.ofSeconds(10);

    /**
     * The store at that address.
     *
     * @throws dev.mandate.StoreSetupException if it will not work until somebody changes something
     * @throws dev.mandate.StoreUnavailableException if it does not answer
     */
    static Target of(StoreAddress address, boolean isQuick) {
        String run = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
        try (ElectionClient client = address.client().connect()) {
            return new Target(address, client.explain(), run, isQuick);
        }
    }

    int samples(int all, int quick) {
        return isQuick ? quick : all;
    }

    boolean isMemory() {
        return address.parsed().scheme().equals("memory");
    }

    /** A name that nobody else uses. */
    String election(String what) {
        return "mandate-bench-" + run + "-" + what;
    }

    /** A client with the settings of the URL, to which others may be added. */
    ElectionClient.Builder client(String candidate) {
        return address.client().candidate(candidate);
    }

    /** The store itself, without a client. */
    ElectionStore store() {
        StoreUrl url = address.parsed().without(explanation.settings().keySet());
        return ServiceLoader.load(ElectionStoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(p -> p.schemes().contains(url.scheme()))
                .findFirst()
                .orElseThrow(() -> new Failure(ExitCode.BAD_INPUT, "nobody opens " + url))
                .open(url);
    }

    /** What a call of the store alone may take. */
    static CallContext call() {
        return CallContext.within(ANSWER);
    }

    /** A session of the store alone; null where it has none. */
    static @Nullable StoreSession session(ElectionStore store, Duration lease) throws InterruptedException {
        return store.traits().leaseScope() == LeaseScope.SESSION
                ? await("opening a session", store.openSession(lease, call()))
                : null;
    }

    /** What a candidate made by hand proposes. */
    LeaderRecord proposal(String candidate) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return LeaderRecord.proposal(
                candidate,
                new Id(random.nextLong(), random.nextLong()),
                new Id(random.nextLong(), random.nextLong()),
                "bench",
                explanation.lease(),
                System.currentTimeMillis());
    }

    /**
     * Waits for an answer.
     *
     * @param what completes the sentence "… failed"
     * @throws Failure if it fails, or does not come in time
     */
    static <T> T await(String what, CompletionStage<T> stage) throws InterruptedException {
        try {
            return stage.toCompletableFuture().get(2 * ANSWER.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new Failure(ExitCode.UNAVAILABLE, what + " failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new Failure(ExitCode.UNAVAILABLE, what + " got no answer within " + 2 * ANSWER.toSeconds() + " s", e);
        }
    }
}
