package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.Subscription;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a watch of other keys than elections' asks for, how often, and what it tells. */
class BlobWatchTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final RecordKey SERVICE = new RecordKey(RecordKey.REGISTRATIONS, List.of("web"));
    private static final String FOLDER = "=mandate/registration/web/";

    /** At an interval of 100 ms, less the jitter. */
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(80);

    private final Queue<Hint> hints = new ConcurrentLinkedQueue<>();
    private FakeListing service;
    private ElectionStore store;

    @BeforeEach
    void open() throws IOException {
        service = new FakeListing();
        store = new AzureBlobElectionStore(AzureBlobUrl.settings(StoreUrl.parse(service.url() + "?watch=100ms")));
    }

    @AfterEach
    void close() {
        store.close();
        service.close();
    }

    private static RecordKey key(String id) {
        return new RecordKey(RecordKey.REGISTRATIONS, List.of("web", id));
    }

    private void awaitVacant(String id) {
        Await.until(
                "a vacancy of " + id,
                PATIENCE,
                () -> hints.stream()
                        .anyMatch(hint -> hint instanceof Hint.Seen seen
                                && seen.observation() instanceof Observation.Vacant
                                && seen.observation().key().equals(key(id))));
        hints.clear();
    }

    private void awaitGap() {
        Await.until("a gap", PATIENCE, () -> hints.contains(Hint.Gap.INSTANCE));
    }

    /**
     * What vanished between the opening of a watch and its first round can't be known by that round, least of all by an
     * empty one.
     */
    @Test
    void aFirstRoundIsAGapThoughItIsEmpty() {
        try (Subscription watch = store.watch(SERVICE, hints::add)) {
            awaitGap();

            assertThat(watch).isNotNull();
            assertThat(hints).containsExactly(Hint.Gap.INSTANCE);
        }
    }

    /** Whatever this client used before: by a listing, and none by itself. */
    @Test
    void everyKeyIsTold() {
        store.read(key("used"), Client.call()).toCompletableFuture().join();
        service.put(FOLDER + "a", "0x1");
        service.put(FOLDER.replace("web", "webapp") + "a", "0x1");
        try (Subscription watch = store.watch(SERVICE, hints::add)) {
            assertThat(watch).isNotNull();
            awaitGap();
            hints.clear();

            service.put(FOLDER + "b", "0x1");
            awaitVacant("b");
            service.put(FOLDER + "a", "0x2");
            awaitVacant("a");
            service.remove(FOLDER + "a");
            awaitVacant("a");

            // What stands at the prefix itself is not below its folder.
            assertThat(service.names()).allMatch(name -> name.endsWith("/used") || name.endsWith("/web"));
        }
    }

    /** A listing of others shows the lease; nothing tells of it until it has a record, or is gone. */
    @Test
    void whatVanishesWithoutEverHavingBeenToldIsTold() {
        service.putTaken(FOLDER + "a", "0x1");
        try (Subscription watch = store.watch(SERVICE, hints::add)) {
            assertThat(watch).isNotNull();
            awaitGap();
            hints.clear();

            service.remove(FOLDER + "a");

            awaitVacant("a");
        }
    }

    @Test
    void aShortListingIsAskedForEveryFiveIntervals() {
        try (Subscription watch = store.watch(SERVICE, hints::add)) {
            assertThat(watch).isNotNull();
            Await.until("three rounds", PATIENCE, () -> service.pages().size() >= 3);

            requirePauses(5);
        }
    }

    /**
     * Pages that can't all be asked for are told as a gap every time, and cost no more than one request in an interval.
     */
    @Test
    void aLongListingIsAskedForSeldomAndToldAsAGap() {
        for (int i = 0; i <= BlobWatch.PAGES_MAX; i++) {
            service.put(FOLDER + (100 + i), "0x1");
        }
        try (Subscription watch = store.watch(SERVICE, hints::add)) {
            assertThat(watch).isNotNull();
            Await.until("two gaps", PATIENCE, () -> hints.size() >= 2);

            assertThat(hints).allMatch(hint -> hint == Hint.Gap.INSTANCE);
            assertThat(service.pages().stream().limit(BlobWatch.PAGES_MAX + 1).filter(FakeListing.Asked::isFirst))
                    .as("rounds within one page more than a round has")
                    .hasSize(2);
            requirePauses(BlobWatch.PAGES_MAX);
        }
    }

    /** Between the last page of a round and the first of the next one, as the service sees it. */
    private void requirePauses(int intervals) {
        List<FakeListing.Asked> pages = List.copyOf(service.pages());
        for (int i = 1; i < pages.size(); i++) {
            if (pages.get(i).isFirst()) {
                assertThat(pages.get(i).nanos() - pages.get(i - 1).nanos())
                        .isGreaterThanOrEqualTo(intervals * INTERVAL_NANOS);
            }
        }
    }
}
