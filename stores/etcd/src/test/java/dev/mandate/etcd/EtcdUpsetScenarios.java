package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * What the store says while its server is full, forgets, stands still or has lost its data. Each test has the server
 * for itself.
 */
abstract class EtcdUpsetScenarios extends EtcdFixture {
    @Test
    void withoutSpaceNothingIsWrittenButRenewalAndReleaseWork() {
        StoreClient client = client();
        RecordKey key = StoreClient.key("space");
        Observation.Held held = client.lead(key);
        RecordKey other = StoreClient.key("space-other");
        Observation vacant = client.read(other);
        try {
            operator.alarm(true);

            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> client.acquire(other, vacant))
                    .withMessageContainingAll("database is full", "NOSPACE", "etcdctl alarm disarm");
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> client.update(held, Intent.PROCLAIM))
                    .withMessageContaining("NOSPACE");
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() ->
                            StoreClient.answer(client.store().openSession(Duration.ofSeconds(5), StoreClient.call())));
            assertThat(client.renew()).isInstanceOf(SessionRenewal.Renewed.class);
            assertThat(client.release(held)).isInstanceOf(WriteOutcome.Written.class);
            assertThat(client.read(key)).isInstanceOf(Observation.Vacant.class);
        } finally {
            operator.alarm(false);
        }
        client.lead(other);
    }

    /** Alone with the server, as more changes than it can hold would be a gap, too. */
    @Test
    void aCutWatchGoesOnWhereItLeftOff() throws Exception {
        FaultProxy proxy = proxy();
        watch(closing(EtcdServer.client(EtcdServer.url(proxy.port()))));
        RecordKey key = StoreClient.key("cut");

        proxy.refuse();
        proxy.reset();
        StoreClient other = client();
        Observation.Held held = other.lead(key);
        proxy.pass();

        // Told as it happened, and not as something that may have been missed.
        Hint hint = hint("the change or a gap", any -> any == Hint.Gap.INSTANCE || isOf(key, any));
        assertThat(((Hint.Seen) hint).observation().basis()).isEqualTo(held.basis());
    }

    @Test
    void whatWasCompactedUnderTheWatchIsAGap() throws Exception {
        FaultProxy proxy = proxy();
        watch(closing(EtcdServer.client(EtcdServer.url(proxy.port()))));
        RecordKey key = StoreClient.key("compacted");

        proxy.refuse();
        proxy.reset();
        StoreClient other = client();
        other.lead(key);
        operator.compact();
        proxy.pass();

        hint("the gap", Hint.Gap.INSTANCE::equals);
        RecordKey later = StoreClient.key("later");
        other.lead(later);
        seen(later, seen -> !isVacant(seen));
    }

    @Test
    void aWatchOverAServerThatLostItsDataGoesOn() {
        watch(client());
        ServerProcess server = etcd().server();

        server.restartWithoutData();

        hint("the gap", Hint.Gap.INSTANCE::equals);
        RecordKey key = StoreClient.key("afterwards");
        client().lead(key);
        seen(key, seen -> !isVacant(seen));
    }

    /** A frozen server may yet do what it was asked to: then or never, and visible by its attempt. */
    @Test
    void anAcquireAtAFrozenServerIsUnknown() {
        StoreClient client = client();
        StoreClient other = client();
        RecordKey key = StoreClient.key("frozen");
        Observation vacant = client.read(key);
        LeaderRecord proposal = client.proposal("frozen");
        ServerProcess server = etcd().server();

        server.freeze();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> StoreClient.answer(client.send(key, vacant, proposal, Duration.ofMillis(300))))
                .withMessageContaining("no answer in time");
        server.thaw();

        Observation seen = Await.value("an answer", PATIENCE, () -> {
            try {
                return Optional.of(other.read(key));
            } catch (StoreUnavailableException e) {
                return Optional.empty();
            }
        });
        if (seen instanceof Observation.Held held) {
            assertThat(held.isAttempt(proposal.attempt())).isTrue();
            assertThat(other.release(held)).isInstanceOf(WriteOutcome.Written.class);
        }
    }
}
