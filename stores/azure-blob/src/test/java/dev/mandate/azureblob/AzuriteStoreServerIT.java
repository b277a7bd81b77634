package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.azureblob.HttpFaults.Effect;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerExtension;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What this store does that others do not, on the emulator. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Azurite.PEACE, mode = ResourceAccessMode.READ)
class AzuriteStoreServerIT {
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final Duration MINUTE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final ServerExtension AZURITE = Azurite.shared();

    private static int port() {
        return AZURITE.server().port("blob");
    }

    private static Client client() {
        return new Client(Azurite.url(port()));
    }

    // ---- answers that get lost ----

    @Test
    void aLostAnswerToTheLeaseIsAskedForAgainWithTheSameId() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client a = new Client(Azurite.url(faults.port()))) {
            RecordKey key = Client.key("lost-lease");
            a.release(a.lead(key));
            faults.befall("PUT lease acquire", Effect.LOSE_ANSWER, 1);
            LeaderRecord proposal = Client.proposal("value", LEASE);

            WriteOutcome outcome = a.acquire(key, a.read(key), proposal, SHORT);

            assertThat(Client.written(outcome).isAttempt(proposal.attempt())).isTrue();
            assertThat(faults.requests("PUT lease acquire").stream()
                            .filter(request -> request.endsWith(Records.lease(proposal))))
                    .hasSize(2);
        }
    }

    /** The engine finds it by reading: its own attempt stands there. */
    @Test
    void aLostAnswerToTheRecordIsUnknownAndTheRecordStands() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client a = new Client(Azurite.url(faults.port()))) {
            RecordKey key = Client.key("lost-record");
            a.release(a.lead(key));
            Observation vacant = a.read(key);
            faults.befall("PUT metadata", Effect.LOSE_ANSWER, 1);
            LeaderRecord proposal = Client.proposal("value", LEASE);

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> a.acquire(key, vacant, proposal, SHORT));

            assertThat(a.readHeld(key).isAttempt(proposal.attempt())).isTrue();
            // What is given back is the lease at the version that was vacant: not this one.
            Await.until(
                    "the attempt to give the lease back",
                    PATIENCE,
                    () -> !faults.requests("PUT lease release").isEmpty());
            assertThat(a.readHeld(key).isAttempt(proposal.attempt())).isTrue();
            assertThat(a.release(a.readHeld(key))).isInstanceOf(WriteOutcome.Written.class);
        }
    }

    /** Else nobody could lead before the lease of an attempt that came to nothing is over. */
    @Test
    void aLeaseWithoutARecordIsGivenBack() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client a = new Client(Azurite.url(faults.port()));
                Client b = client();
                Operator operator = new Operator(port())) {
            RecordKey key = Client.key("given-back");
            a.release(a.lead(key));
            faults.befall("PUT metadata", Effect.LOSE_REQUEST, 1);
            Observation vacant = a.read(key);

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> a.acquire(key, vacant, Client.proposal("value", MINUTE), SHORT));

            Await.until(
                    "the lease to be given back",
                    Duration.ofSeconds(30),
                    () -> operator.state(key.name()).toString().equals("available"));
            assertThat(Client.held(b.lead(key)).term()).isPositive();
        }
    }

    /** Also where it is not known whether there is one, and the second request for it was refused for now. */
    @Test
    void aLeaseInDoubtIsGivenBack() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client a = new Client(Azurite.url(faults.port()));
                Operator operator = new Operator(port())) {
            RecordKey key = Client.key("in-doubt");
            a.release(a.lead(key));
            Observation vacant = a.read(key);
            faults.befall("PUT lease acquire", Effect.LOSE_ANSWER, 1);
            faults.refuse("PUT lease acquire", 503, Map.of("x-ms-error-code", "ServerBusy"));

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> a.acquire(key, vacant, Client.proposal("value", MINUTE), SHORT));

            Await.until(
                    "the lease to be given back",
                    Duration.ofSeconds(30),
                    () -> operator.state(key.name()).toString().equals("available"));
        }
    }

    /** A read is three requests after a change of the leader, and two where that was too much once. */
    @Test
    void aServiceThatIsSlowIsReadAfterAChange() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client a = client();
                Client far = new Client(Azurite.url(faults.port()))) {
            RecordKey key = Client.key("far");
            Observation.Held first = a.lead(key);
            far.readHeld(key);
            a.release(first);
            Observation.Held next = a.lead(key);
            faults.befall("HEAD", Effect.LONG_DELAY, Integer.MAX_VALUE);

            Duration lessThanThree = HttpFaults.LONG_DELAY.multipliedBy(3).minusMillis(1);
            Await.until("an answer", PATIENCE, () -> isRead(far, key, next, lessThanThree));
        }
    }

    private static boolean isRead(Client client, RecordKey key, Observation.Held held, Duration within) {
        try {
            return Client.held(Client.answer(client.store.read(key, CallContext.within(within))))
                    .isAttempt(held.record().attempt());
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    /** Whoever is refused because somebody has the lease waits until the record is written: a moment. */
    @Test
    void aRefusalShowsTheRecordThatIsAboutToBeWritten() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client slow = new Client(Azurite.url(faults.port()));
                Client b = client()) {
            RecordKey key = Client.key("about-to-be-written");
            slow.release(slow.lead(key));
            Observation vacant = b.read(key);
            Observation own = slow.read(key);
            faults.befall("PUT metadata", Effect.DELAY, 1);
            LeaderRecord first = Client.proposal("first", MINUTE);
            CompletionStage<WriteOutcome> sent = slow.store.acquire(key, own, first, null, Client.call());
            Await.until(
                    "the record to be on its way",
                    PATIENCE,
                    () -> faults.requests("PUT metadata").size() == 2);

            WriteOutcome outcome = b.acquire(key, vacant, Client.proposal("second", MINUTE), Client.ANSWER);

            // Never the record of the term before. Where the machine is slower than that moment, the vacancy, for a
            // second.
            if (Client.refused(outcome) instanceof Observation.Held held) {
                assertThat(held.isAttempt(first.attempt())).isTrue();
            } else {
                assertThat(((WriteOutcome.Refused) outcome).retryAfter()).contains(Duration.ofSeconds(1));
            }
            Client.written(Client.answer(sent));
            assertThat(b.readHeld(key).isAttempt(first.attempt())).isTrue();
        }
    }

    // ---- expiry ----

    /**
     * The service renews a lease that is over as long as nobody took it. It is the engine that never asks for that: after its own deadline a
     * leader has no window any more that an answer could extend.
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

    /** A new blob's first token is the service's clock: without it the next term might have a smaller one than a term long ago. */
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
            RecordKey key = Client.key("young");
            Observation vacant = a.read(key);

            WriteOutcome first = a.acquire(key, vacant, Client.proposal("value", LEASE), Duration.ofMillis(1_900));

            assertThat(first).isInstanceOfSatisfying(WriteOutcome.Refused.class, refused -> {
                assertThat(refused.now()).containsInstanceOf(Observation.Vacant.class);
                assertThat(refused.retryAfter()).contains(Duration.ofSeconds(1));
            });
            Await.until(
                    "the next second",
                    PATIENCE,
                    () -> a.acquire(key, a.read(key), Client.proposal("value", LEASE), Duration.ofMillis(1_900))
                            instanceof WriteOutcome.Written);
        }
    }

    // ---- what others do ----

    @Test
    void aRecipesCandidateAndOursExcludeEachOther() {
        try (Client a = client();
                Operator recipe = new Operator(port())) {
            RecordKey key = Client.key("recipe");
            recipe.create(key.name());
            Observation vacant = a.read(key);
            String lease = recipe.lease(key.name(), 60);

            Observation seen = Client.refused(a.acquire(key, vacant, Client.proposal("value", LEASE), Client.ANSWER));
            assertThat(Client.held(seen).isForeign()).isTrue();

            recipe.release(key.name(), lease);
            Observation.Held held = a.lead(key);
            assertThat(catchCode(() -> recipe.lease(key.name(), 60))).isEqualTo("LeaseAlreadyPresent");
            a.release(held);
            recipe.lease(key.name(), 60);
        }
    }

    private static String catchCode(Runnable request) {
        try {
            request.run();
            return "";
        } catch (com.azure.storage.blob.models.BlobStorageException e) {
            return Fault.code(e);
        }
    }

    @Test
    void aLeaseForEverIsSomebodyElsesWhateverStandsThere() {
        try (Client a = client();
                Operator operator = new Operator(port())) {
            RecordKey key = Client.key("for-ever");
            a.release(a.lead(key));
            operator.lease(key.name(), -1);

            Observation.Held seen = a.readHeld(key);
            assertThat(seen.isForeign()).isTrue();

            // By force, and by the version that was seen.
            assertThat(a.release(seen)).isInstanceOf(WriteOutcome.Written.class);
            a.lead(key);
        }
    }

    /** The usual state of a blob: it has the record of a term that is over. */
    @Test
    void aStrangersLeaseOfABlobThatHasARecordIsForeign() {
        try (Client former = client();
                Operator operator = new Operator(port())) {
            RecordKey key = Client.key("over-a-record");
            former.release(former.lead(key, LEASE));
            Observation vacant = former.read(key);
            operator.lease(key.name(), 60);

            try (Client newcomer = client()) {
                Observation.Held seen = newcomer.readHeld(key);
                assertThat(seen.isForeign()).isTrue();
                assertThat(seen.shown()).isEqualTo("(a lease without a record)");
            }

            // Whoever saw the vacancy takes it for a candidate's as long as a dead one's could last, and then says what
            // it is.
            WriteOutcome refused = former.acquire(key, vacant, Client.proposal("value", LEASE), Client.ANSWER);
            assertThat(Client.refused(refused)).isInstanceOf(Observation.Vacant.class);
            assertThat(((WriteOutcome.Refused) refused).retryAfter()).contains(Duration.ofSeconds(1));
            Await.until(
                    "it to be taken for a stranger's",
                    PATIENCE,
                    () -> former.read(key) instanceof Observation.Held held && held.isForeign());
            assertThat(Client.answer(former.store.list(key, Cursor.START, Client.call()))
                            .items())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Observation.Held.class,
                            held -> assertThat(held.isForeign()).isTrue());
        }
    }

    /** As followers see a hand-over to a slow candidate, when they saw neither the last record's version nor the vacancy. */
    @Test
    void aFollowerTakesNoSlowCandidateForAStranger() {
        try (Client leader = client();
                Client follower = client();
                Operator slow = new Operator(port())) {
            RecordKey key = Client.key("slow-candidate");
            Observation.Held first = leader.lead(key, LEASE);
            follower.readHeld(key);
            Observation.Held second = Client.written(leader.proclaim(first, "another value"));
            leader.release(second);
            slow.lease(key.name(), 15);

            assertThat(follower.read(key)).isInstanceOf(Observation.Vacant.class);
        }
    }

    /** The next token is larger though the service's clock went back, and nobody here saw the record as anything but a stranger's. */
    @Test
    void tokensRiseAcrossAStrangersLeaseThatIsBroken() throws IOException {
        for (int seconds : List.of(60, -1)) {
            RecordKey key = Client.key("token-below-a-stranger");
            try (Client former = client();
                    Operator operator = new Operator(port());
                    HttpFaults faults = HttpFaults.before(port());
                    Client next = new Client(Azurite.url(faults.port()))) {
                Observation.Held first = former.lead(key);
                former.release(first);
                operator.lease(key.name(), seconds);
                faults.clock(Duration.ofHours(-1));

                Observation.Held strangers = next.readHeld(key);
                assertThat(strangers.isForeign()).isTrue();
                WriteOutcome.Written freed = (WriteOutcome.Written) next.release(strangers);
                assertThat(((FreeAt) freed.now().basis()).term()).isEqualTo(first.term());
                WriteOutcome led = next.acquire(key, freed.now(), Client.proposal("value", LEASE), Client.ANSWER);

                assertThat(Client.written(led).term()).isGreaterThan(first.term());
            }
        }
    }

    @Test
    void aRecordThatCantBeReadIsForeignWhileItIsLeased() {
        try (Client a = client();
                Operator operator = new Operator(port())) {
            RecordKey key = Client.key("unreadable");
            operator.create(key.name());
            operator.writeMetadata(key.name(), Records.ENTRY, "{not json", null);
            assertThat(a.read(key)).isInstanceOf(Observation.Vacant.class);
            operator.lease(key.name(), 60);

            Observation.Held seen = a.readHeld(key);
            assertThat(seen.isForeign()).isTrue();
            assertThat(seen.shown()).isEqualTo("{not json");
        }
    }

    @Test
    void whatAnUploadDroppedIsForeignUntilTheLeaseIsOver() {
        try (Client a = client();
                Operator operator = new Operator(port())) {
            RecordKey key = Client.key("uploaded");
            Observation.Held held = a.lead(key);
            operator.overwrite(key.name(), Records.lease(held.record()));

            assertThat(a.readHeld(key).isForeign()).isTrue();
            assertThat(a.renew(held)).isInstanceOf(WriteOutcome.Refused.class);
            assertThat(a.proclaim(held, "x")).isInstanceOf(WriteOutcome.Refused.class);
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

    // ---- a busy service ----

    /** What can wait is not sent before the time the service asked for; what can't is. */
    @Test
    void aBusyServiceIsLeftAloneButForRenewals() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client a = new Client(Azurite.url(faults.port()))) {
            RecordKey key = Client.key("busy");
            Observation.Held held = a.lead(key);
            for (int status : List.of(503, 429)) {
                faults.refuse("HEAD", status, Map.of("Retry-After", "2", "x-ms-error-code", "ServerBusy"));
                assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> a.read(key))
                        .withMessageContainingAll("refused for now", String.valueOf(status));
                int asked = faults.requests("HEAD").size();
                assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> a.read(key))
                        .withMessageContaining("asked to come back");
                assertThat(faults.requests("HEAD")).hasSize(asked);
                assertThat(a.renew(held)).isInstanceOf(WriteOutcome.Written.class);
                faults.heal();

                Await.until("the service to be asked again", PATIENCE, () -> {
                    try {
                        return a.read(key) instanceof Observation.Held;
                    } catch (StoreUnavailableException e) {
                        return false;
                    }
                });
            }
        }
    }
}
