package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Recipes, other leases and other uploads on the same blobs. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Azurite.PEACE, mode = ResourceAccessMode.READ)
class AzuriteStrangersServerIT extends SharedAzurite {
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

    /**
     * As followers see a hand-over to a slow candidate, when they saw neither the last record's version nor the
     * vacancy.
     */
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

    /**
     * The next token is larger though the service's clock went back, and nobody here saw the record as anything but a
     * stranger's.
     */
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
}
