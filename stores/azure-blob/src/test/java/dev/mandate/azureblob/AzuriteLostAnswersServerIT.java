package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreUnavailableException;
import dev.mandate.azureblob.HttpFaults.Effect;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What becomes of a write whose answer is lost, or that the service puts off. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Azurite.PEACE, mode = ResourceAccessMode.READ)
class AzuriteLostAnswersServerIT extends SharedAzurite {
    private static final Duration MINUTE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(2);

    @Test
    void aLostAnswerToTheLeaseIsAskedForAgainWithTheSameId() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client a = new Client(Azurite.url(faults.port()))) {
            RecordKey key = Client.key("lost-lease");
            a.release(a.lead(key));
            faults.befall("PUT lease acquire", Effect.LOSE_ANSWER, 1);
            LeaderRecord proposal = Client.proposal("value", LEASE);

            WriteOutcome outcome = a.acquire(key, a.read(key), proposal, Client.ANSWER);

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

    @Test
    void aLostAnswerToAnEraseIsUnknownAndTheBlobIsGone() throws IOException {
        try (HttpFaults faults = HttpFaults.before(port());
                Client a = new Client(Azurite.url(faults.port()))) {
            RecordKey key = Client.key("lost-erase");
            a.release(a.lead(key));
            Observation.Vacant left = (Observation.Vacant) a.read(key);
            faults.befall("DELETE blob", Effect.LOSE_ANSWER, 1);

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> Client.answer(a.store.erase(left, CallContext.within(SHORT))));

            assertThat(a.read(key).basis()).isEqualTo(FreeAt.NOWHERE);
            assertThat(Client.refused(Client.answer(a.store.erase(left, Client.call())))
                            .basis())
                    .isEqualTo(FreeAt.NOWHERE);
        }
    }
}
