package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.support.RecordJson;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Direction;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * What operators, strangers and broken connections do to the store, and what it says then. All on one server, in peace.
 */
abstract class EtcdStoreScenarios extends EtcdFixture {
    // ---- leases ----

    @Test
    void theGrantedLeaseIsWhatCounts() {
        StoreClient client = client();

        StoreSession rounded =
                StoreClient.answer(client.store().openSession(Duration.ofMillis(2_100), StoreClient.call()));
        StoreSession least = StoreClient.answer(client.store().openSession(Duration.ofMillis(1), StoreClient.call()));

        assertThat(rounded.granted()).isEqualTo(Duration.ofSeconds(3));
        assertThat(least.granted()).isEqualTo(Duration.ofSeconds(2));
        assertThat(StoreClient.answer(rounded.renew(StoreClient.call())))
                .isEqualTo(SessionRenewal.renewed(Duration.ofSeconds(3)));
    }

    @Test
    void aLeaseRevokedByAnOperatorIsGoneAndTold() {
        StoreClient client = client();
        RecordKey key = StoreClient.key("revoked");
        Observation.Held held = client.lead(key);
        listen(client);

        operator.revoke(lease(held));

        assertThat(seen(key, EtcdFixture::isVacant).basis()).isEqualTo(VacantAt.INSTANCE);
        assertThat(client.renew()).isEqualTo(SessionRenewal.gone());
        assertThat(client.acquire(key, client.read(key))).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(client.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Refused.class);
        client.end();
    }

    /** An update that did not name the lease would leave the key behind for ever. */
    @Test
    void everyUpdateKeepsTheLeaseAttached() {
        StoreClient client = client();
        StoreClient other = client();
        RecordKey key = StoreClient.key("attached");
        Observation.Held held = client.lead(key);

        held = StoreClient.written(client.update(held, Intent.PROCLAIM));
        held = StoreClient.written(other.update(held, Intent.ASK_TO_LEAVE));

        assertThat(operator.get(path(key)).orElseThrow().getLease())
                .isEqualTo(Long.parseLong(client.session().id(), 16));
        assertThat(held.record().leave()).isTrue();
        client.end();
        assertThat(other.read(key)).isInstanceOf(Observation.Vacant.class);
    }

    // ---- strangers ----

    @Test
    void aKeyDeletedByAStrangerIsToldAndTheNextTermIsLarger() {
        StoreClient client = client();
        RecordKey key = StoreClient.key("deleted");
        Observation.Held held = client.lead(key);
        listen(client);

        operator.delete(path(key));

        seen(key, EtcdFixture::isVacant);
        assertThat(client.release(held)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(client.renew()).isInstanceOf(SessionRenewal.Renewed.class);
        assertThat(client.lead(key).term()).isGreaterThan(held.term());
    }

    @Test
    void aKeyOverwrittenByAStrangerIsShownAndNeverAdopted() {
        StoreClient client = client();
        RecordKey key = StoreClient.key("overwritten");
        Observation.Held held = client.lead(key);
        long lease = operator.grant(77);

        operator.put(path(key), "stranger-1", lease);

        Observation.Held seen = client.readHeld(key);
        assertThat(seen.isForeign()).isTrue();
        assertThat(seen.shown()).isEqualTo("stranger-1");
        assertThat(seen.lease()).contains(Duration.ofSeconds(77));
        assertThat(client.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(client.release(held)).isInstanceOf(WriteOutcome.Refused.class);
        Observation refused = StoreClient.refused(client.acquire(key, Observation.vacant(key, VacantAt.INSTANCE)));
        assertThat(((Observation.Held) refused).lease()).contains(Duration.ofSeconds(77));
        assertThat(operator.get(path(key)).orElseThrow().getValue().toStringUtf8())
                .isEqualTo("stranger-1");
        // The operator's way out.
        assertThat(client.release(seen)).isInstanceOf(WriteOutcome.Written.class);
        client.lead(key);
    }

    /** Copied by hand and without the lease, it would outlive everybody. */
    @Test
    void aRecordWithoutALeaseIsNobodys() {
        StoreClient client = client();
        RecordKey key = StoreClient.key("detached");
        Observation.Held held = client.lead(key);

        operator.put(path(key), RecordJson.write(held.record()), 0);

        Observation.Held seen = client.readHeld(key);
        assertThat(seen.isForeign()).isTrue();
        assertThat(seen.shown()).isEqualTo("candidate (without a lease)");
        assertThat(seen.lease()).isEmpty();
    }

    @Test
    void whateverStandsThereIsShownInPart() {
        StoreClient client = client();
        for (String text : List.of("", "{", "{}", "{\"v\":1}", "x".repeat(5_000), "{\"v\":1,\"candidate\":1}")) {
            RecordKey key = StoreClient.key("odd");
            operator.put(path(key), text, operator.grant(60));

            Observation.Held seen = client.readHeld(key);

            assertThat(seen.isForeign()).isTrue();
            assertThat(seen.shown().length()).isLessThanOrEqualTo(257);
            assertThat(text).startsWith(seen.shown().replace("…", ""));
        }
    }

    // ---- sizes ----

    @Test
    void aValueLargerThanTheServerTakesIsRefusedByName() {
        StoreClient client = client();
        RecordKey key = StoreClient.key("large");
        Observation.Held held = client.lead(key);
        LeaderRecord large = held.record().withTerm(held.term()).withValue("\u0001".repeat(160_000));

        // Two records of nearly a megabyte of JSON: more than one page can hold, and more than a request may.
        StoreClient raw = client("?format=raw");
        RecordKey other = StoreClient.key("large-raw");
        Observation.Held inRaw = raw.lead(other);
        LeaderRecord tooLarge = inRaw.record().withTerm(inRaw.term()).withValue("x".repeat(1_700_000));

        assertThat(StoreClient.answer(client.store().update(key, held, large, Intent.PROCLAIM, StoreClient.call())))
                .isInstanceOf(WriteOutcome.Written.class);
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> StoreClient.answer(
                        raw.store().update(other, inRaw, tooLarge, Intent.PROCLAIM, StoreClient.call())))
                .withMessageContainingAll("larger than the server allows", "--max-request-bytes");
    }

    // ---- the watch ----

    @Test
    void aWatchThroughADeadConnectionIsOpenedAgain() throws Exception {
        FaultProxy proxy = proxy();
        watch(closing(EtcdServer.client(EtcdServer.url(proxy.port()))));

        // What was swallowed never arrives; only pings find that out.
        proxy.blackHole();
        RecordKey key = StoreClient.key("swallowed");
        client().lead(key);
        proxy.awaitHeld(Direction.TO_CLIENT, PATIENCE);
        proxy.pass();

        seen(key, seen -> !isVacant(seen));
    }

    @Test
    void aClosedWatchOfAClosedStoreIsSilent() {
        StoreClient watcher = client();
        watch(watcher);

        watcher.store().close();

        client().lead(StoreClient.key("unheard"));
        assertThat(hints).allMatch(Hint.Seen.class::isInstance);
        hints.clear();
        client().lead(StoreClient.key("unheard"));
        assertThat(hints).isEmpty();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> watcher.store().watch(RecordKey.elections(), hints::add))
                .withMessageContaining("closed");
    }

    // ---- late and lost ----

    /** What nobody waits for any more lands in a later vacancy: it is known by its attempt, and can be taken back. */
    @Test
    void anAcquireThatArrivesAfterALaterTermIsKnownByItsAttempt() throws Exception {
        FaultProxy proxy = proxy();
        StoreClient late = closing(EtcdServer.client(EtcdServer.url(proxy.port())));
        RecordKey key = StoreClient.key("late");
        Observation vacant = late.read(key);
        LeaderRecord proposal = late.proposal("late");

        proxy.stall(Direction.TO_SERVER);
        CompletionStage<WriteOutcome> acquire = late.send(key, vacant, proposal, Duration.ofSeconds(25));
        proxy.awaitHeld(Direction.TO_SERVER, PATIENCE);
        StoreClient other = client();
        Observation.Held between = other.lead(key);
        other.release(between);
        proxy.pass();

        Observation.Held held = StoreClient.written(StoreClient.answer(acquire));
        assertThat(held.isAttempt(proposal.attempt())).isTrue();
        assertThat(held.term()).isGreaterThan(between.term());
        assertThat(other.release(other.readHeld(key))).isInstanceOf(WriteOutcome.Written.class);
    }

    @Test
    void anAnswerLostAfterTheCommitIsUnknownAndTheReadShowsIt() throws Exception {
        FaultProxy proxy = proxy();
        StoreClient client = closing(EtcdServer.client(EtcdServer.url(proxy.port())));
        RecordKey key = StoreClient.key("lost");
        Observation vacant = client.read(key);
        LeaderRecord proposal = client.proposal("lost");

        // Not a cut at the next byte: that may be one of HTTP/2's own, before the server has the request.
        proxy.stall(Direction.TO_CLIENT);
        CompletionStage<WriteOutcome> acquire = client.send(key, vacant, proposal, Duration.ofSeconds(25));
        StoreClient other = client();
        Await.until("the commit", PATIENCE, () -> other.read(key) instanceof Observation.Held);
        proxy.reset();
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> StoreClient.answer(acquire));
        proxy.pass();

        Observation.Held held = Await.value("the record", PATIENCE, () -> {
            try {
                return Optional.of(client.readHeld(key));
            } catch (StoreUnavailableException e) {
                return Optional.empty();
            }
        });
        assertThat(held.isAttempt(proposal.attempt())).isTrue();
    }

    // ---- keys ----

    @Test
    void oneKeyIsOneElection() {
        String parameters = "?key=MyApp/" + StoreClient.key("leader").name();
        StoreClient client = client(parameters);
        StoreClient other = client(parameters);
        Observation.Held held = client.lead(RecordKey.election("invoices"));
        listen(client);

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> client.read(RecordKey.election("orders")))
                .withMessageContainingAll("'invoices'", "'orders'");
        // Another client may call it otherwise; it is the same key.
        Observation.Held seen = other.readHeld(RecordKey.election("billing"));
        assertThat(seen.record()).isEqualTo(held.record());
        assertThat(StoreClient.answer(client.store().list(RecordKey.elections(), Cursor.START, StoreClient.call()))
                        .items())
                .singleElement()
                .satisfies(listed -> assertThat(listed.key()).isEqualTo(RecordKey.election("invoices")));
        other.release(seen);
        seen(RecordKey.election("invoices"), EtcdFixture::isVacant);
    }

    @Test
    void rawKeysHoldTheValueItselfAndCountOnlyTogether() {
        StoreClient client = client("?format=raw");
        RecordKey key = StoreClient.key("raw");
        Observation.Held held = client.lead(key);
        assertThat(operator.get(path(key)).orElseThrow().getValue().toStringUtf8())
                .isEqualTo("value");
        listen(client);

        held = StoreClient.written(client.update(held, Intent.PROCLAIM));
        assertThat(operator.get(path(key)).orElseThrow().getValue().toStringUtf8())
                .isEqualTo("value+");
        Observation.Held told = (Observation.Held) seen(key, seen -> !isVacant(seen));
        assertThat(told.record()).isEqualTo(held.record());
        held = StoreClient.written(client.update(held, Intent.ASK_TO_LEAVE));
        assertThat(held.record().value()).isEqualTo("value+");
        assertThat(client.readHeld(key).record().leave()).isTrue();

        // A recipe's candidate writes the value alone.
        operator.put(path(key), "somebody", operator.grant(60));
        Observation.Held foreign = client.readHeld(key);
        assertThat(foreign.isForeign()).isTrue();
        assertThat(foreign.shown()).isEqualTo("somebody");
        assertThat(client.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(client.release(foreign)).isInstanceOf(WriteOutcome.Written.class);
        assertThat(operator.get(path(key) + "#mandate")).isEmpty();
        client.lead(key);
    }

    /** What a listing costs is what stands at its prefix and below. */
    @Test
    void aListingReadsNoNameThatMerelyBeginsAlike() throws Exception {
        StoreClient client = client();
        FaultProxy proxy = proxy();
        StoreClient lister = closing(EtcdServer.client(EtcdServer.url(proxy.port())));
        RecordKey prefix = StoreClient.key("web");
        RecordKey below = new RecordKey(RecordKey.ELECTIONS, List.of(prefix.name(), "a"));
        client.lead(prefix);
        client.lead(below);
        for (int i = 0; i < 100; i++) {
            operator.put(path(prefix) + "app" + i, "x".repeat(10_000), 0);
        }
        long before = proxy.forwarded(Direction.TO_CLIENT);

        Page<Observation> page = StoreClient.answer(lister.store().list(prefix, Cursor.START, StoreClient.call()));

        assertThat(page.items()).extracting(Observation::key).containsExactly(prefix, below);
        assertThat(proxy.forwarded(Direction.TO_CLIENT) - before)
                .as("bytes that two records cost beside a megabyte")
                .isLessThan(100_000);
    }
}
