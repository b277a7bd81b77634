package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What this store does that others do not, on the emulator. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Azurite.PEACE, mode = ResourceAccessMode.READ)
class AzuriteStoreServerIT extends SharedAzurite {
    private static final Duration MINUTE = Duration.ofSeconds(60);

    // ---- expiry ----

    /**
     * The service renews a lease that is over as long as nobody took it. It is the engine that never asks for that:
     * after its own deadline a leader has no window any more that an answer could extend.
     */
    @Test
    void theServiceRenewsALeaseThatIsOver() {
        try (Client a = client()) {
            RecordKey key = Client.key("over");
            Observation.Held held = a.lead(key, LEASE);
            Await.until("the lease to be over", PATIENCE, () -> a.read(key) instanceof Observation.Vacant);

            WriteOutcome renewed = a.renew(held);

            assertThat(renewed).isInstanceOf(WriteOutcome.Written.class);
            assertThat(a.readHeld(key).isAttempt(held.record().attempt())).isTrue();
        }
    }

    /** Taken by somebody else in between, not even if that one is gone, too. */
    @Test
    void aLeaseThatWasTakenSinceIsNotRenewed() {
        try (Client a = client();
                Client b = client()) {
            RecordKey key = Client.key("taken");
            Observation.Held held = a.lead(key, LEASE);
            Await.until("the lease to be over", PATIENCE, () -> a.read(key) instanceof Observation.Vacant);
            b.release(b.lead(key));

            assertThat(a.renew(held)).isInstanceOf(WriteOutcome.Refused.class);
            assertThat(a.release(held)).isInstanceOf(WriteOutcome.Refused.class);
        }
    }

    // ---- tokens ----

    @Test
    void tokensRiseAcrossABlobThatIsDeleted() {
        try (Client a = client();
                Operator operator = new Operator(port())) {
            RecordKey key = Client.key("deleted");
            Observation.Held first = a.lead(key);
            a.release(first);
            operator.delete(key.name());
            assertThat(a.lead(key).term()).isGreaterThan(first.term());
        }
    }

    @Test
    void tokensRiseThoughTheServicesClockIsWrongByAnHour() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client a = new Client(Azurite.url(faults.port()))) {
            RecordKey key = Client.key("clock");
            long last = 0;
            for (int hours : List.of(0, 1, 0, -1, 0, -1, 1)) {
                faults.clock(Duration.ofHours(hours));
                Observation.Held held = a.lead(key);
                assertThat(held.term()).isGreaterThan(last);
                last = held.term();
                a.release(held);
            }
            assertThat(last)
                    .isBetween(
                            Instant.now().plusSeconds(3_000).toEpochMilli(),
                            Instant.now().plusSeconds(4_000).toEpochMilli());
        }
    }

    /**
     * A new blob's first token is the service's clock: without it the next term might have a smaller one than a term
     * long ago.
     */
    @Test
    void nobodyLeadsWithoutATimeToCountTokensFrom() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client a = new Client(Azurite.url(faults.port()))) {
            RecordKey key = Client.key("dateless");
            faults.hideDate();

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> a.lead(key))
                    .withMessageContaining("no Date");

            faults.heal();
            // The lease is given back in the background.
            Await.until("the lease to be given back", PATIENCE, () -> a.read(key) instanceof Observation.Vacant);
            assertThat(a.lead(key).term()).isGreaterThan(1_700_000_000_000L);
        }
    }

    /** The clock alone makes the next one, which has to be larger. */
    @Test
    void aBlobWhoseTokenIsAheadOfTheClockIsNotErased() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client a = new Client(Azurite.url(faults.port()))) {
            RecordKey key = Client.key("ahead");
            faults.clock(Duration.ofHours(1));
            a.release(a.lead(key));
            Observation.Vacant left = (Observation.Vacant) a.read(key);
            faults.clock(Duration.ZERO);

            WriteOutcome early = Client.answer(a.store.erase(left, Client.call()));

            assertThat(Client.refused(early).basis()).isEqualTo(left.basis());
            assertThat(((WriteOutcome.Refused) early).retryAfter())
                    .hasValueSatisfying(
                            wait -> assertThat(wait).isBetween(Duration.ofMinutes(50), Duration.ofMinutes(60)));
            assertThat(a.read(key).basis()).isEqualTo(left.basis());
            faults.hideDate();
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> Client.answer(a.store.erase(left, Client.call())))
                    .withMessageContaining("no Date");
            faults.heal();
            faults.clock(Duration.ofHours(1));
            assertThat(Client.answer(a.store.erase(left, Client.call()))).isInstanceOf(WriteOutcome.Written.class);
        }
    }

    /** A lease does not change the version. */
    @Test
    void aBlobThatSomebodyLeasedIsNotErased() {
        try (Client a = client();
                Operator operator = new Operator(port())) {
            RecordKey key = Client.key("leased");
            a.release(a.lead(key));
            Observation.Vacant left = (Observation.Vacant) a.read(key);
            operator.lease(key.name(), 60);

            assertThat(Client.answer(a.store.erase(left, Client.call()))).isInstanceOf(WriteOutcome.Refused.class);

            assertThat(operator.exists(key.name())).isTrue();
        }
    }

    @Test
    void aProxyThatDatesAnswersByAnotherClockIsNamed() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client a = new Client(Azurite.url(faults.port()));
                Operator operator = new Operator(port())) {
            RecordKey key = Client.key("misdated");
            operator.create(key.name());
            faults.clock(Duration.ofHours(-1));

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> a.lead(key))
                    .withMessageContainingAll("Date is 3", "proxy");
        }
    }

    /** The service tells its clock by the second. Whoever leads next here has seen nothing of the former terms. */
    @Test
    void tokensRiseThroughADeletionWithinOneSecondThatTheNextLeaderNeverSaw() {
        RecordKey key = Client.key("deleted-fast");
        long last = 0;
        for (int round = 0; round < 6; round++) {
            try (Client stranger = client();
                    Operator operator = new Operator(port())) {
                Observation.Held held = stranger.lead(key);
                assertThat(held.term()).isGreaterThan(last);
                last = held.term();
                operator.delete(key.name(), Records.lease(held.record()));
            }
        }
    }

    /** Where a call has not that much time, the engine is told when to ask again. */
    @Test
    void aBlobMadeJustNowIsTakenOnlyAfterTheSecondInWhichItWasMade() {
        try (Client a = client()) {
            Young young = Await.value("an answer in time", PATIENCE, () -> young(a));

            assertThat(young.answer()).isInstanceOfSatisfying(WriteOutcome.Refused.class, refused -> {
                assertThat(refused.now()).containsInstanceOf(Observation.Vacant.class);
                assertThat(refused.retryAfter()).contains(Duration.ofSeconds(1));
            });
            a.lead(young.key());
        }
    }

    private record Young(RecordKey key, WriteOutcome answer) {}

    /**
     * Makes a blob in a call too short to wait for the next second; empty if the server did not answer in that time.
     */
    private static Optional<Young> young(Client a) {
        RecordKey key = Client.key("young");
        try {
            return Optional.of(new Young(
                    key, a.acquire(key, a.read(key), Client.proposal("value", LEASE), Duration.ofMillis(1_900))));
        } catch (StoreUnavailableException e) {
            return Optional.empty();
        }
    }

    // ---- containers, names, values ----

    @Test
    void aContainerIsMadeWhereThatIsAllowed() throws IOException {
        String name = Client.key("made").name().replaceAll("[^a-z0-9-]", "x");
        String careful = Azurite.url(port(), name) + "?create=false";
        RecordKey key = Client.key("in-it");
        try (Client a = new Client(Azurite.url(port(), name));
                Operator operator = new Operator(port(), name)) {
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> new Client(careful))
                    .withMessageContainingAll("no such container", "az storage container create", "create=true");
            assertThat(a.read(key)).isInstanceOf(Observation.Vacant.class);
            assertThat(operator.hasContainer()).as("after looks").isFalse();

            a.lead(key);

            assertThat(operator.hasContainer()).isTrue();
        }
    }

    /** Somebody deletes it: a client that may not make it says so. */
    @Test
    void aContainerThatWasDeletedIsNotMadeWhereThatIsNotAllowed() throws IOException {
        String name = Client.key("deleted").name().replaceAll("[^a-z0-9-]", "x");
        try (Client a = new Client(Azurite.url(port(), name));
                Operator operator = new Operator(port(), name)) {
            a.release(a.lead(Client.key("in-it")));
            try (Client careful = new Client(Azurite.url(port(), name) + "?create=false")) {
                RecordKey key = Client.key("in-it");
                Observation vacant = careful.read(key);
                operator.deleteContainer();

                assertThatExceptionOfType(StoreSetupException.class)
                        .isThrownBy(() -> careful.acquire(key, vacant, Client.proposal("value", LEASE), Client.ANSWER))
                        .withMessageContainingAll("no such container", "az storage container create", "create=true");
                assertThat(operator.hasContainer()).isFalse();
            }
        }
    }

    @Test
    void namesAreReadableWhereTheyCanBe() {
        try (Client a = client();
                Operator operator = new Operator(port())) {
            String run = Client.key("n").name();
            a.lead(RecordKey.election(run + ".eu-west"));
            a.lead(RecordKey.election(run + " 2/3."));

            assertThat(operator.exists(run + ".eu-west")).isTrue();
            assertThat(operator.exists(run + "=202=2F3=2E")).isTrue();
        }
    }

    @Test
    void aNameThatIsTooLongForABlobIsRefused() {
        try (Client a = client()) {
            RecordKey key = RecordKey.election("\u20ac".repeat(150));

            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> a.read(key))
                    .withMessageContainingAll("1350", "1024", "shorter");
        }
    }

    /** Six times as long as they were: with the longest names still below what metadata may have. */
    @Test
    void theWorstRecordFits() {
        try (Client a = client()) {
            RecordKey key = Client.key("worst");
            String value = "\u0001".repeat(a.store.traits().valueBytesMax());
            LeaderRecord plain = Client.proposal(value, MINUTE);
            LeaderRecord worst = LeaderRecord.proposal(
                    "\u00ad".repeat(RecordKey.NAME_BYTES_MAX / 2),
                    plain.incarnation(),
                    plain.attempt(),
                    value,
                    MINUTE,
                    System.currentTimeMillis());

            Client.written(a.acquire(key, a.read(key), worst, Client.ANSWER));

            assertThat(a.readHeld(key).record().withTerm(0)).isEqualTo(worst);
            assertThat(Records.metadata(worst.withTerm(Long.MAX_VALUE).askedToLeave())
                            .get(Records.ENTRY)
                            .length())
                    .isLessThan(8 * 1024 - Records.ENTRY.length());
        }
    }

    @Test
    void aListingShowsWhatIsVacantToo() {
        try (Client a = client()) {
            RecordKey prefix =
                    new RecordKey(RecordKey.ELECTIONS, List.of(Client.key("l").name()));
            RecordKey key = new RecordKey(RecordKey.ELECTIONS, List.of(prefix.name(), "x"));
            a.release(a.lead(key));

            Page<Observation> page = Client.answer(a.store.list(prefix, Cursor.START, Client.call()));

            assertThat(page.items()).hasSize(1);
            assertThat(page.items().get(0).basis()).isEqualTo(a.read(key).basis());
        }
    }
}
