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
import dev.mandate.spi.RecordJson;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.FaultProxy.Direction;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What operators, strangers and broken connections do to the store, and what it says then. */
abstract class EtcdStoreScenarios {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
    private int port;
    private Operator operator;

    abstract ServerExtension etcd();

    @BeforeEach
    void open() {
        port = etcd().server().port("client");
        operator = closing(new Operator(port));
    }

    @AfterEach
    void close() throws Exception {
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
    }

    private <T extends AutoCloseable> T closing(T resource) {
        toClose.add(resource);
        return resource;
    }

    private Client client() {
        return closing(new Client(EtcdServer.url(port)));
    }

    private Client client(String parameters) {
        return closing(new Client(EtcdServer.url(port) + parameters));
    }

    private void listen(Client watcher) {
        Subscription watch = watcher.store.watch(RecordKey.elections(), hints::add);
        toClose.add(watch);
    }

    private Hint hint(String what, Predicate<Hint> isWanted) {
        return Await.value(what, PATIENCE, () -> {
            for (Hint hint = hints.poll(); hint != null; hint = hints.poll()) {
                if (isWanted.test(hint)) {
                    return Optional.of(hint);
                }
            }
            return Optional.empty();
        });
    }

    private Observation seen(RecordKey key, Predicate<Observation> isWanted) {
        Hint told =
                hint("a hint of " + key, hint -> isOf(key, hint) && isWanted.test(((Hint.Seen) hint).observation()));
        return ((Hint.Seen) told).observation();
    }

    private static boolean isOf(RecordKey key, Hint hint) {
        return hint instanceof Hint.Seen seen && seen.observation().key().equals(key);
    }

    private static boolean isVacant(Observation seen) {
        return seen instanceof Observation.Vacant;
    }

    private static String path(RecordKey key) {
        return "/leaders/" + key.name();
    }

    private static long lease(Observation.Held held) {
        return ((HeldAt) held.basis()).lease();
    }

    // ---- leases ----

    @Test
    void theGrantedLeaseIsWhatCounts() {
        Client client = client();

        StoreSession rounded = Client.answer(client.store.openSession(Duration.ofMillis(2_100), Client.call()));
        StoreSession least = Client.answer(client.store.openSession(Duration.ofMillis(1), Client.call()));

        assertThat(rounded.granted()).isEqualTo(Duration.ofSeconds(3));
        assertThat(least.granted()).isEqualTo(Duration.ofSeconds(2));
        assertThat(Client.answer(rounded.renew(Client.call())))
                .isEqualTo(SessionRenewal.renewed(Duration.ofSeconds(3)));
    }

    @Test
    void aLeaseRevokedByAnOperatorIsGoneAndTold() {
        Client client = client();
        RecordKey key = Client.key("revoked");
        Observation.Held held = client.lead(key);
        listen(client);

        operator.revoke(lease(held));

        assertThat(seen(key, EtcdStoreScenarios::isVacant).basis()).isEqualTo(VacantAt.INSTANCE);
        assertThat(client.renew()).isEqualTo(SessionRenewal.gone());
        assertThat(client.acquire(key, client.read(key))).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(client.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Refused.class);
        client.end();
    }

    /** An update that did not name the lease would leave the key behind for ever. */
    @Test
    void everyUpdateKeepsTheLeaseAttached() {
        Client client = client();
        Client other = client();
        RecordKey key = Client.key("attached");
        Observation.Held held = client.lead(key);

        held = Client.written(client.update(held, Intent.PROCLAIM));
        held = Client.written(other.update(held, Intent.ASK_TO_LEAVE));

        assertThat(operator.get(path(key)).orElseThrow().getLease()).isEqualTo(Long.parseLong(client.session.id(), 16));
        assertThat(held.record().leave()).isTrue();
        client.end();
        assertThat(other.read(key)).isInstanceOf(Observation.Vacant.class);
    }

    // ---- strangers ----

    @Test
    void aKeyDeletedByAStrangerIsToldAndTheNextTermIsLarger() {
        Client client = client();
        RecordKey key = Client.key("deleted");
        Observation.Held held = client.lead(key);
        listen(client);

        operator.delete(path(key));

        seen(key, EtcdStoreScenarios::isVacant);
        assertThat(client.release(held)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(client.renew()).isInstanceOf(SessionRenewal.Renewed.class);
        assertThat(client.lead(key).term()).isGreaterThan(held.term());
    }

    @Test
    void aKeyOverwrittenByAStrangerIsShownAndNeverAdopted() {
        Client client = client();
        RecordKey key = Client.key("overwritten");
        Observation.Held held = client.lead(key);
        long lease = operator.grant(77);

        operator.put(path(key), "stranger-1", lease);

        Observation.Held seen = client.readHeld(key);
        assertThat(seen.isForeign()).isTrue();
        assertThat(seen.shown()).isEqualTo("stranger-1");
        assertThat(seen.lease()).contains(Duration.ofSeconds(77));
        assertThat(client.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(client.release(held)).isInstanceOf(WriteOutcome.Refused.class);
        Observation refused = Client.refused(client.acquire(key, Observation.vacant(key, VacantAt.INSTANCE)));
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
        Client client = client();
        RecordKey key = Client.key("detached");
        Observation.Held held = client.lead(key);

        operator.put(path(key), RecordJson.write(held.record()), 0);

        Observation.Held seen = client.readHeld(key);
        assertThat(seen.isForeign()).isTrue();
        assertThat(seen.shown()).isEqualTo("candidate (without a lease)");
        assertThat(seen.lease()).isEmpty();
    }

    @Test
    void whateverStandsThereIsShownInPart() {
        Client client = client();
        for (String text : List.of("", "{", "{}", "{\"v\":1}", "x".repeat(5_000), "{\"v\":1,\"candidate\":1}")) {
            RecordKey key = Client.key("odd");
            operator.put(path(key), text, operator.grant(60));

            Observation.Held seen = client.readHeld(key);

            assertThat(seen.isForeign()).isTrue();
            assertThat(seen.shown().length()).isLessThanOrEqualTo(257);
            assertThat(text).startsWith(seen.shown().replace("…", ""));
        }
    }

    // ---- the server's memory ----

    @Test
    void withoutSpaceNothingIsWrittenButRenewalAndReleaseWork() {
        Client client = client();
        RecordKey key = Client.key("space");
        Observation.Held held = client.lead(key);
        RecordKey other = Client.key("space-other");
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
                    .isThrownBy(() -> Client.answer(client.store.openSession(Duration.ofSeconds(5), Client.call())));
            assertThat(client.renew()).isInstanceOf(SessionRenewal.Renewed.class);
            assertThat(client.release(held)).isInstanceOf(WriteOutcome.Written.class);
            assertThat(client.read(key)).isInstanceOf(Observation.Vacant.class);
        } finally {
            operator.alarm(false);
        }
        client.lead(other);
    }

    @Test
    void aValueLargerThanTheServerTakesIsRefusedByName() {
        Client client = client();
        RecordKey key = Client.key("large");
        Observation.Held held = client.lead(key);
        LeaderRecord large = held.record().withTerm(held.term()).withValue("\u0001".repeat(160_000));

        // Two records of nearly a megabyte of JSON: more than one page can hold, and more than a request may.
        Client raw = client("?format=raw");
        RecordKey other = Client.key("large-raw");
        Observation.Held inRaw = raw.lead(other);
        LeaderRecord tooLarge = inRaw.record().withTerm(inRaw.term()).withValue("x".repeat(1_700_000));

        assertThat(Client.answer(client.store.update(key, held, large, Intent.PROCLAIM, Client.call())))
                .isInstanceOf(WriteOutcome.Written.class);
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(
                        () -> Client.answer(raw.store.update(other, inRaw, tooLarge, Intent.PROCLAIM, Client.call())))
                .withMessageContainingAll("larger than the server takes", "--max-request-bytes");
    }

    // ---- the watch ----

    private FaultProxy proxy() throws Exception {
        return closing(FaultProxy.to("127.0.0.1", port));
    }

    /** Opens the watch and waits until it tells. */
    private void watch(Client watcher) {
        listen(watcher);
        Client prober = client();
        RecordKey probe = Client.key("probe");
        Await.until("the watch", PATIENCE, () -> {
            prober.release(prober.lead(probe));
            return hints.poll(100, TimeUnit.MILLISECONDS) != null;
        });
        hints.clear();
    }

    @Test
    void aCutWatchGoesOnWhereItLeftOff() throws Exception {
        FaultProxy proxy = proxy();
        watch(closing(new Client(EtcdServer.url(proxy.port()))));
        RecordKey key = Client.key("cut");

        proxy.refuse();
        proxy.reset();
        Client other = client();
        Observation.Held held = other.lead(key);
        proxy.pass();

        // Told as it happened, and not as something that may have been missed.
        Hint hint = hint("the change or a gap", any -> any == Hint.Gap.INSTANCE || isOf(key, any));
        assertThat(((Hint.Seen) hint).observation().basis()).isEqualTo(held.basis());
    }

    @Test
    void whatWasCompactedUnderTheWatchIsAGap() throws Exception {
        FaultProxy proxy = proxy();
        watch(closing(new Client(EtcdServer.url(proxy.port()))));
        RecordKey key = Client.key("compacted");

        proxy.refuse();
        proxy.reset();
        Client other = client();
        other.lead(key);
        operator.compact();
        proxy.pass();

        hint("the gap", Hint.Gap.INSTANCE::equals);
        RecordKey later = Client.key("later");
        other.lead(later);
        seen(later, seen -> !isVacant(seen));
    }

    @Test
    void aWatchOverAServerThatLostItsDataGoesOn() {
        watch(client());
        ServerProcess server = etcd().server();

        server.restartWithoutData();

        hint("the gap", Hint.Gap.INSTANCE::equals);
        RecordKey key = Client.key("afterwards");
        client().lead(key);
        seen(key, seen -> !isVacant(seen));
    }

    @Test
    void aWatchThroughADeadConnectionIsOpenedAgain() throws Exception {
        FaultProxy proxy = proxy();
        watch(closing(new Client(EtcdServer.url(proxy.port()))));

        // What was swallowed never arrives; only pings find that out.
        proxy.blackHole();
        RecordKey key = Client.key("swallowed");
        client().lead(key);
        proxy.awaitHeld(Direction.TO_CLIENT, PATIENCE);
        proxy.pass();

        seen(key, seen -> !isVacant(seen));
    }

    @Test
    void aClosedWatchOfAClosedStoreIsSilent() {
        Client watcher = client();
        watch(watcher);

        watcher.store.close();

        client().lead(Client.key("unheard"));
        assertThat(hints).allMatch(Hint.Seen.class::isInstance);
        hints.clear();
        client().lead(Client.key("unheard"));
        assertThat(hints).isEmpty();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> watcher.store.watch(RecordKey.elections(), hints::add))
                .withMessageContaining("closed");
    }

    // ---- late and lost ----

    /** What nobody waits for any more lands in a later vacancy: it is known by its attempt, and can be taken back. */
    @Test
    void anAcquireThatArrivesAfterALaterTermIsKnownByItsAttempt() throws Exception {
        FaultProxy proxy = proxy();
        Client late = closing(new Client(EtcdServer.url(proxy.port())));
        RecordKey key = Client.key("late");
        Observation vacant = late.read(key);
        LeaderRecord proposal = late.proposal("late");

        proxy.stall(Direction.TO_SERVER);
        CompletionStage<WriteOutcome> acquire = late.send(key, vacant, proposal, Duration.ofSeconds(25));
        proxy.awaitHeld(Direction.TO_SERVER, PATIENCE);
        Client other = client();
        Observation.Held between = other.lead(key);
        other.release(between);
        proxy.pass();

        Observation.Held held = Client.written(Client.answer(acquire));
        assertThat(held.isAttempt(proposal.attempt())).isTrue();
        assertThat(held.term()).isGreaterThan(between.term());
        assertThat(other.release(other.readHeld(key))).isInstanceOf(WriteOutcome.Written.class);
    }

    /** A frozen server may yet do what it was asked to: then or never, and visible by its attempt. */
    @Test
    void anAcquireAtAFrozenServerIsUnknown() {
        Client client = client();
        Client other = client();
        RecordKey key = Client.key("frozen");
        Observation vacant = client.read(key);
        LeaderRecord proposal = client.proposal("frozen");
        ServerProcess server = etcd().server();

        server.freeze();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> Client.answer(client.send(key, vacant, proposal, Duration.ofMillis(300))))
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

    @Test
    void anAnswerLostAfterTheCommitIsUnknownAndTheReadShowsIt() throws Exception {
        FaultProxy proxy = proxy();
        Client client = closing(new Client(EtcdServer.url(proxy.port())));
        RecordKey key = Client.key("lost");
        Observation vacant = client.read(key);
        LeaderRecord proposal = client.proposal("lost");

        proxy.cutAfter(Direction.TO_CLIENT, 0);
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> Client.answer(client.send(key, vacant, proposal, Duration.ofSeconds(5))));
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
        String parameters = "?key=MyApp/" + Client.key("leader").name();
        Client client = client(parameters);
        Client other = client(parameters);
        Observation.Held held = client.lead(RecordKey.election("invoices"));
        listen(client);

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> client.read(RecordKey.election("orders")))
                .withMessageContainingAll("'invoices'", "'orders'");
        // Another client may call it otherwise; it is the same key.
        Observation.Held seen = other.readHeld(RecordKey.election("billing"));
        assertThat(seen.record()).isEqualTo(held.record());
        assertThat(Client.answer(client.store.list(RecordKey.elections(), Cursor.START, Client.call()))
                        .items())
                .singleElement()
                .satisfies(listed -> assertThat(listed.key()).isEqualTo(RecordKey.election("invoices")));
        other.release(seen);
        seen(RecordKey.election("invoices"), EtcdStoreScenarios::isVacant);
    }

    @Test
    void rawKeysHoldTheValueItselfAndCountOnlyTogether() {
        Client client = client("?format=raw");
        RecordKey key = Client.key("raw");
        Observation.Held held = client.lead(key);
        assertThat(operator.get(path(key)).orElseThrow().getValue().toStringUtf8())
                .isEqualTo("value");
        listen(client);

        held = Client.written(client.update(held, Intent.PROCLAIM));
        assertThat(operator.get(path(key)).orElseThrow().getValue().toStringUtf8())
                .isEqualTo("value+");
        Observation.Held told = (Observation.Held) seen(key, seen -> !isVacant(seen));
        assertThat(told.record()).isEqualTo(held.record());
        held = Client.written(client.update(held, Intent.ASK_TO_LEAVE));
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
}
