package dev.mandate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Order;
import dev.mandate.console.StoreAddress;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That figures are reckoned rightly. */
class FiguresTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final StoreTraits JUDGED = StoreTraits.of("judged", Expiry.OBSERVER_JUDGES, LeaseScope.SESSION);
    private static final StoreTraits REMOVING = StoreTraits.of("removing", Expiry.STORE_REMOVES, LeaseScope.RECORD)
            .withExpiry(2, Duration.ofSeconds(1))
            .withWatch(true);

    @TempDir
    private Path folder;

    private static Target target(String url) {
        return Target.of(StoreAddress.resolve(url, Map.of()), true);
    }

    @Test
    void everyRequestCountsAsWhatItIs() throws Exception {
        Target target = target("sqlite:" + folder.resolve("counted.db") + "?lease=10s");
        RecordKey key = RecordKey.registration("web", "7");
        try (CountingStore store = CountingStore.of(target.store())) {
            StoreSession session = Target.session(store, Duration.ofSeconds(10));
            assertThat(session).isNotNull();
            List<Hint> told = Collections.synchronizedList(new ArrayList<>());
            try (Subscription watch = store.watch(RecordKey.registrations("web"), told::add)) {
                Observation vacant = Target.await("reading", store.read(key, Target.call()));
                Observation.Held held = held(store.acquire(key, vacant, target.proposal("a"), session, Target.call()));
                held = held(store.update(key, held, held.record(), Intent.PROCLAIM, Target.call()));
                Target.await("listing", store.list(RecordKey.registrations(), Cursor.START, Target.call()));
                Target.await("renewing", session.renew(Target.call()));
                Await.until("a hint", PATIENCE, () -> !told.isEmpty());
                WriteOutcome released = Target.await("releasing", store.release(key, held, Target.call()));
                Target.await(
                        "erasing",
                        store.erase((Observation.Vacant) ((WriteOutcome.Written) released).now(), Target.call()));
            }
            Requests asked = store.count();
            assertThat(asked).isEqualTo(new Requests(8, 1, 1, 1, 4, 1, told.size()));
            assertThat(CountingStore.sum(List.of(store, store)).since(asked)).isEqualTo(asked);
            assertThat(store.watches()).isEqualTo(1);
        }
    }

    private static Observation.Held held(CompletionStage<WriteOutcome> stage) throws InterruptedException {
        return (Observation.Held) ((WriteOutcome.Written) Target.await("writing", stage)).now();
    }

    @Test
    void thePollsOfOthersAreNotAHandOvers() {
        Requests concerned = new Requests(9, 2, 1, 0, 4, 2, 0);
        Requests others = new Requests(50, 40, 5, 0, 1, 4, 0);

        assertThat(Requests.ofEvent(concerned.plus(others), concerned)).isEqualTo(2 + 1 + 4 + 1);
        assertThat(concerned.plus(others).since(others)).isEqualTo(concerned);
    }

    @Test
    void theShareOfTermsIsThatOfTheLuckiestAndTheUnluckiest() {
        assertThat(TermsFigure.figures(Order.ARRIVAL, new int[] {5, 5, 5}))
                .satisfiesExactly(
                        most -> {
                            assertThat(most.name()).isEqualTo("arrival: most terms");
                            assertThat(most.value()).isEqualTo(5);
                            assertThat(most.bound()).isEqualTo(5);
                        },
                        fewest -> assertThat(fewest.value()).isEqualTo(5));
        assertThat(TermsFigure.figures(Order.RACE, new int[] {9, 0, 1}))
                .satisfiesExactly(
                        most -> {
                            assertThat(most.value()).isEqualTo(9);
                            assertThat(most.bound()).isNull();
                        },
                        fewest -> assertThat(fewest.value()).isZero());
        // One is left over.
        assertThat(TermsFigure.figures(Order.ARRIVAL, new int[] {2, 2, 3})
                        .get(0)
                        .bound())
                .isEqualTo(3);
    }

    /** As docs/registry.md has it: 1.5 leases and three answers, and the spacing of retries. */
    @Test
    void theBoundOfAnEndIsThatOfTheSettings() {
        Target target = target(
                "memory:bound?scope=record&lease=10s&requestTimeout=600ms&retryInterval=300ms&recordCheckInterval=20s&registrationLease=40s");
        Target plain =
                target("sqlite:" + folder.resolve("bound.db") + "?lease=10s&requestTimeout=600ms&retryInterval=300ms");

        assertThat(plain.goneWithin(JUDGED, 1)).isEqualTo(Duration.ofMillis(10_000 + 5_000 + 3 * 600 + 300));
        assertThat(plain.goneWithin(JUDGED, 2)).isEqualTo(Duration.ofMillis(10_000 + 5_000 + 6 * 600 + 2 * 300));
        assertThat(target.goneWithin(REMOVING, 1)).isEqualTo(Duration.ofMillis(81_000 + 20_000 + 2 * 600 + 300));
    }

    @Test
    void theDeadAreTidiedAHundredInTenMinutes() {
        assertThat(RestartFigure.tidiedWithin(REMOVING, 500)).isZero();
        assertThat(RestartFigure.tidiedWithin(JUDGED, 1)).isEqualTo(Duration.ofMinutes(20));
        assertThat(RestartFigure.tidiedWithin(JUDGED, 100)).isEqualTo(Duration.ofMinutes(20));
        assertThat(RestartFigure.tidiedWithin(JUDGED, 101)).isEqualTo(Duration.ofMinutes(30));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, 255, 256, 99_999})
    void anInstanceSaysTwoHundredBytes(int number) {
        ServiceInstance instance = SampleInstances.instance(number);

        assertThat(SampleInstances.value(instance)).hasSize(SampleInstances.BYTES);
        assertThat(instance.id()).isEqualTo("instance-" + number);
    }

    @Test
    void samplesAreCountedWithinABound() {
        Samples samples = new Samples(4);
        for (long millis : new long[] {4, 1, 3}) {
            samples.add(millis * 1_000_000);
        }

        assertThat(samples.within(Duration.ofMillis(3))).isEqualTo(2);
        assertThat(samples.within(Duration.ofNanos(999_999))).isZero();
    }
}
