package dev.mandate.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.memory.MemoryFaults;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MemoryStoreTest {
    private static final RecordKey KEY = RecordKey.election("orders");
    private static final Duration SOON = Duration.ofMillis(50);
    private static final Duration PLENTY = Duration.ofSeconds(20);

    @Test
    void oneNameIsOneStore() throws Exception {
        try (ElectionStore a = open("memory:shared");
                ElectionStore b = open("memory:shared");
                ElectionStore other = open("memory:other");
                ElectionStore nameless = open("memory:")) {
            acquire(a, "a");

            assertThat(read(b)).isInstanceOf(Observation.Held.class);
            assertThat(read(other)).isInstanceOf(Observation.Vacant.class);
            assertThat(read(nameless)).isInstanceOf(Observation.Vacant.class);
        }
    }

    @Test
    void dataLivesAsLongAsAnybodyUsesItsName() throws Exception {
        ElectionStore first = open("memory:lives");
        acquire(first, "a");
        try (MemoryFaults faults = MemoryFaults.of("lives")) {
            first.close();
            first.close();
            try (ElectionStore second = open("memory:lives")) {
                assertThat(read(second)).isInstanceOf(Observation.Held.class);
            }
            assertThat(faults.requests()).isEqualTo(4);
        }

        try (ElectionStore third = open("memory:lives")) {
            assertThat(read(third)).isInstanceOf(Observation.Vacant.class);
        }
    }

    @Test
    void callsOfAClosedStoreFail() {
        ElectionStore store = open("memory:");
        store.close();

        assertThatThrownBy(() -> read(store)).hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void otherParametersForOneNameAreRefusedByName() {
        try (ElectionStore first = open("memory:clash?scope=record")) {
            assertThat(first.traits().watches()).isTrue();
            assertThatThrownBy(() -> open("memory:clash?scope=session"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("scope=record")
                    .hasMessageContaining("scope=session");
        }
    }

    @Test
    void aBadParameterIsNamedWithItsValue() {
        assertRefused("memory:?scope=planet", "scope", "planet", "record");
        assertRefused("memory:?expiry=never", "expiry", "never", "observer-judges");
        assertRefused("memory:?leaseMin=2 parsecs", "leaseMin", "2 parsecs", "500ms");
        assertRefused("memory:?leaseMin=ms", "leaseMin", "ms", "500ms");
        assertRefused("memory:?leaseStep=0s", "leaseStep", "more than 0");
        assertRefused("memory:?leaseMin=10s&leaseMax=5s", "leaseMax", "5000 ms", "10000 ms");
        assertRefused("memory:?expiryFactor=0.5", "expiryFactor", "0.5", "1.0");
        assertRefused("memory:?expiryFactor=x", "expiryFactor", "x");
    }

    private static void assertRefused(String url, String... words) {
        assertThatThrownBy(() -> open(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(words);
    }

    @Test
    void aLostAnswerFailsAtTheDeadlineAndTheWriteHasHappened() throws Exception {
        try (MemoryFaults faults = MemoryFaults.of("lost");
                ElectionStore store = open("memory:lost")) {
            StoreSession session = get(store.openSession(Duration.ofMinutes(1), within(PLENTY)));
            Observation vacant = read(store);
            faults.loseAnswers(1);

            CompletionStage<WriteOutcome> lost = store.acquire(KEY, vacant, proposal("a"), session, within(SOON));

            assertThatThrownBy(() -> get(lost)).hasCauseInstanceOf(StoreUnavailableException.class);
            assertThat(read(store)).isInstanceOf(Observation.Held.class);
        }
    }

    @Test
    void anEraseWhoseAnswerIsLostIsUnknownAndHasHappened() throws Exception {
        try (MemoryFaults faults = MemoryFaults.of("lost-erase");
                ElectionStore store = open("memory:lost-erase")) {
            StoreSession session = get(store.openSession(Duration.ofMinutes(1), within(PLENTY)));
            WriteOutcome won = get(store.acquire(KEY, read(store), proposal("a"), session, within(PLENTY)));
            get(store.release(KEY, (Observation.Held) ((WriteOutcome.Written) won).now(), within(PLENTY)));
            Observation.Vacant left = (Observation.Vacant) read(store);
            faults.loseAnswers(1);

            CompletionStage<WriteOutcome> lost = store.erase(left, within(SOON));

            assertThatThrownBy(() -> get(lost)).hasCauseInstanceOf(StoreUnavailableException.class);
            assertThat(read(store).basis()).isNotEqualTo(left.basis());
            assertThat(get(store.list(RecordKey.elections(), Cursor.START, within(PLENTY)))
                            .items())
                    .isEmpty();
        }
    }

    @Test
    void whatIsCutOffNeverArrives() throws Exception {
        try (MemoryFaults faults = MemoryFaults.of("cut");
                ElectionStore a = open("memory:cut?as=a");
                ElectionStore b = open("memory:cut?as=b")) {
            StoreSession session = get(a.openSession(Duration.ofMinutes(1), within(PLENTY)));
            Observation vacant = read(a);
            faults.only("a").cutOff();

            CompletionStage<WriteOutcome> lost = a.acquire(KEY, vacant, proposal("a"), session, within(SOON));

            assertThatThrownBy(() -> get(lost)).hasCauseInstanceOf(StoreUnavailableException.class);
            assertThat(read(b)).isInstanceOf(Observation.Vacant.class);
            faults.only("a").heal();
            assertThat(read(a)).isInstanceOf(Observation.Vacant.class);
        }
    }

    @Test
    void whatIsFrozenTakesEffectWhenHealed() throws Exception {
        try (MemoryFaults faults = MemoryFaults.of("frozen");
                ElectionStore store = open("memory:frozen")) {
            StoreSession session = get(store.openSession(Duration.ofMinutes(1), within(PLENTY)));
            Observation vacant = read(store);
            BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
            store.watch(RecordKey.elections(), hints::add);
            faults.freeze();
            CompletionStage<WriteOutcome> late = store.acquire(KEY, vacant, proposal("a"), session, within(SOON));
            assertThatThrownBy(() -> get(late)).hasCauseInstanceOf(StoreUnavailableException.class);

            faults.heal();

            List<Hint> both = List.of(take(hints), take(hints));
            assertThat(both).contains(Hint.Gap.INSTANCE).hasAtLeastOneElementOfType(Hint.Seen.class);
            assertThat(read(store)).isInstanceOf(Observation.Held.class);
        }
    }

    @Test
    void refusedWritesChangeNothingAndSayNothing() throws Exception {
        try (MemoryFaults faults = MemoryFaults.of("refused");
                ElectionStore store = open("memory:refused?answers=at-once")) {
            StoreSession session = get(store.openSession(Duration.ofMinutes(1), within(PLENTY)));
            faults.refuseWrites(1);

            WriteOutcome outcome = get(store.acquire(KEY, read(store), proposal("a"), session, within(PLENTY)));

            assertThat(outcome).isInstanceOf(WriteOutcome.Refused.class);
            assertThat(((WriteOutcome.Refused) outcome).now()).isEmpty();
            assertThat(read(store)).isInstanceOf(Observation.Vacant.class);
        }
    }

    @Test
    void faultsAreTypedAndHealed() throws Exception {
        try (MemoryFaults faults = MemoryFaults.of("typed");
                ElectionStore store = open("memory:typed")) {
            faults.failPermanently("wrong password");
            assertThatThrownBy(() -> read(store)).hasCauseInstanceOf(StoreSetupException.class);
            faults.heal();
            faults.refuseConnections();
            assertThatThrownBy(() -> read(store)).hasCauseInstanceOf(StoreUnavailableException.class);
            faults.heal();
            assertThat(read(store)).isInstanceOf(Observation.Vacant.class);
        }
    }

    @Test
    void delayedRequestsArriveLaterButInTime() throws Exception {
        try (MemoryFaults faults = MemoryFaults.of("delayed");
                ElectionStore store = open("memory:delayed?answers=at-once")) {
            faults.delay(SOON);
            long before = System.nanoTime();

            read(store);

            assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(SOON.toNanos());
        }
    }

    @Test
    void answersAtOnceComeBeforeTheCallReturns() {
        try (ElectionStore store = open("memory:?answers=at-once")) {
            assertThat(store.read(KEY, within(PLENTY)).toCompletableFuture()).isDone();
        }
    }

    @Test
    void anExpiryIsTold() throws Exception {
        try (ElectionStore store = open("memory:?scope=record")) {
            BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
            store.watch(RecordKey.elections(), hints::add);
            LeaderRecord brief = LeaderRecord.proposal("a", new Id(1, 1), new Id(2, 1), "v", SOON, 0);
            get(store.acquire(KEY, read(store), brief, null, within(PLENTY)));

            assertThat(((Hint.Seen) take(hints)).observation()).isInstanceOf(Observation.Held.class);
            assertThat(((Hint.Seen) take(hints)).observation()).isInstanceOf(Observation.Vacant.class);
        }
    }

    @Test
    void afterCloseNoHintIsDelivered() throws Exception {
        try (ElectionStore store = open("memory:quiet");
                MemoryFaults faults = MemoryFaults.of("quiet")) {
            BlockingQueue<Hint> closed = new LinkedBlockingQueue<>();
            BlockingQueue<Hint> open = new LinkedBlockingQueue<>();
            BlockingQueue<Hint> elsewhere = new LinkedBlockingQueue<>();
            Subscription first = store.watch(RecordKey.elections(), closed::add);
            store.watch(RecordKey.elections(), open::add);
            store.watch(new RecordKey(RecordKey.REGISTRATIONS, List.of()), elsewhere::add);
            first.close();
            first.close();

            acquire(store, "a");

            assertThat(take(open)).isInstanceOf(Hint.Seen.class);
            faults.dropHints();
            assertThat(faults.deleteRecord("orders")).isTrue();
            faults.heal();
            acquire(store, "b");
            assertThat(((Hint.Seen) take(open)).observation()).isInstanceOf(Observation.Held.class);
            assertThat(closed).isEmpty();
            assertThat(elsewhere).isEmpty();
        }
    }

    @Test
    void anOperatorCanEndALeaseAndOverwriteARecord() throws Exception {
        try (MemoryFaults faults = MemoryFaults.of("operator")) {
            assertThat(faults.expireNow("orders")).isFalse();
            assertThat(faults.deleteRecord("orders")).isFalse();
            assertThatThrownBy(() -> faults.overwriteRecord("orders", "x")).isInstanceOf(IllegalStateException.class);
            try (ElectionStore store = open("memory:operator?expiry=observer-judges")) {
                StoreSession session = acquire(store, "a");

                assertThat(faults.expireNow("orders")).isTrue();

                assertThat(read(store)).isInstanceOf(Observation.Vacant.class);
                assertThat(get(session.renew(within(PLENTY)))).isEqualTo(SessionRenewal.gone());
                faults.overwriteRecord("orders", "somebody else");
                assertThat(((Observation.Held) read(store)).isForeign()).isTrue();
                assertThat(((Observation.Held) read(store)).shown()).isEqualTo("somebody else");
            }
        }
    }

    @Test
    void aSessionOfAnotherStoreIsRefused() throws Exception {
        try (ElectionStore store = open("memory:");
                ElectionStore other = open("memory:")) {
            StoreSession foreign = get(other.openSession(Duration.ofMinutes(1), within(PLENTY)));
            Observation vacant = read(store);

            assertThatThrownBy(() -> store.acquire(KEY, vacant, proposal("a"), foreign, within(PLENTY)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static ElectionStore open(String url) {
        return new MemoryStoreProvider().open(StoreUrl.parse(url));
    }

    private static StoreSession acquire(ElectionStore store, String candidate) throws Exception {
        StoreSession session = get(store.openSession(Duration.ofMinutes(1), within(PLENTY)));
        WriteOutcome outcome = get(store.acquire(KEY, read(store), proposal(candidate), session, within(PLENTY)));
        assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
        return session;
    }

    private static LeaderRecord proposal(String candidate) {
        return LeaderRecord.proposal(candidate, new Id(1, 1), new Id(2, 1), "v", Duration.ofMinutes(1), 0);
    }

    private static Observation read(ElectionStore store) throws Exception {
        return get(store.read(KEY, within(PLENTY)));
    }

    private static CallContext within(Duration timeout) {
        return CallContext.within(timeout);
    }

    private static Hint take(BlockingQueue<Hint> hints) throws InterruptedException {
        Hint hint = hints.poll(PLENTY.toSeconds(), TimeUnit.SECONDS);
        assertThat(hint).as("a hint in time").isNotNull();
        return hint;
    }

    private static <T> T get(CompletionStage<T> stage) throws InterruptedException, ExecutionException {
        CompletableFuture<T> future = stage.toCompletableFuture();
        return future.get();
    }
}
