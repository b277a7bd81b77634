package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.support.RecordJson;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Direction;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What Consul does that other stores do not, and what its operators do by hand. */
@Execution(ExecutionMode.CONCURRENT)
class ConsulStoreServerIT {
    @RegisterExtension
    static final ServerExtension CONSUL = ConsulServer.extension();

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String election =
            "e" + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
    private final RecordKey key = RecordKey.election(election);
    private final String path = "/v1/kv/service/" + election + "/leader";
    private final List<StoreClient> clients = new ArrayList<>();

    private StoreClient client(String parameters) {
        return client(parameters, Duration.ofSeconds(10));
    }

    private StoreClient client(String parameters, Duration lease) {
        StoreClient client = new StoreClient(ConsulServer.open(CONSUL.server().port("http"), parameters), lease);
        clients.add(client);
        return client;
    }

    @AfterEach
    void close() {
        clients.forEach(StoreClient::close);
    }

    private String get(String from) throws Exception {
        return ConsulServer.get(CONSUL.server(), from);
    }

    private String put(String to, String body) throws Exception {
        return ConsulServer.put(CONSUL.server(), to, body);
    }

    @Test
    void aSessionHasATtlAndNoChecksUnlessTheyAreAskedFor() throws Exception {
        StoreClient plain = client("lock-delay=2s");
        StoreClient checked = client("checks=serfHealth");

        assertThat(get("/v1/session/info/" + plain.session().id()).replace(" ", ""))
                .contains("\"NodeChecks\":[]", "\"TTL\":\"10000ms\"", "\"LockDelay\":2000000000", "\"release\"");
        assertThat(get("/v1/session/info/" + checked.session().id())).contains("serfHealth");
    }

    /** With checks a session may end while its leader believes: only the lock-delay keeps others out then. */
    @Test
    void checksNeedALockDelayAsLongAsTheLease() {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> client("checks=serfHealth&lock-delay=9s"))
                .withMessageContaining("lock-delay")
                .withMessageContaining("9000 ms")
                .withMessageContaining("10000 ms");
    }

    @Test
    void aCheckThatIsNotThereIsNamed() {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> client("checks=nosuch"))
                .withMessageContaining("nosuch")
                .withMessageContaining("'checks'");
    }

    /** Its locks are free at once, and given to nobody before the lock-delay is over; a refusal says for how long. */
    @Test
    void aDestroyedSessionIsToldAndItsLockIsDelayed() throws Exception {
        StoreClient a = client("lock-delay=3s");
        StoreClient b = client("lock-delay=3s");
        Observation.Held held = a.lead(key);
        b.read(key);
        Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        try (Subscription watch = b.store().watch(RecordKey.elections(), hints::add)) {
            Await.until("the watch to show the holder", PATIENCE, () -> shows(hints, Observation.Held.class));
            hints.clear();

            put("/v1/session/destroy/" + a.session().id(), "");
            long destroyed = System.nanoTime();

            Await.until("the hint of the end", PATIENCE, () -> shows(hints, Observation.Vacant.class));
            assertThat(watch).isNotNull();
            assertThat(a.renew()).isInstanceOf(SessionRenewal.Gone.class);
            Observation vacant = b.read(key);
            WriteOutcome refused = b.acquire(key, vacant);
            assertThat(refused).isInstanceOf(WriteOutcome.Refused.class);
            assertThat(((WriteOutcome.Refused) refused).retryAfter())
                    .hasValueSatisfying(
                            wait -> assertThat(wait).isBetween(Duration.ofMillis(1), Duration.ofMillis(3_100)));
            assertThat(StoreClient.refused(refused)).isInstanceOf(Observation.Vacant.class);

            Observation.Held next = taken(b);

            assertThat(System.nanoTime() - destroyed)
                    .isGreaterThan(Duration.ofMillis(2_900).toNanos());
            assertThat(next.term()).isGreaterThan(held.term());
        }
    }

    /** Asks as often as it is told to, which must not be often. */
    private Observation.Held taken(StoreClient b) {
        for (int asked = 1; asked < 10; asked++) {
            WriteOutcome outcome = b.acquire(key, b.read(key));
            if (outcome instanceof WriteOutcome.Written) {
                return StoreClient.written(outcome);
            }
            Await.passing(((WriteOutcome.Refused) outcome).retryAfter().orElseThrow());
        }
        throw new AssertionError("ten times refused in a lock-delay of three seconds: that is spinning");
    }

    private static boolean shows(Queue<Hint> hints, Class<? extends Observation> what) {
        return hints.stream().anyMatch(hint -> hint instanceof Hint.Seen seen && what.isInstance(seen.observation()));
    }

    /** Nothing of a lock-delay where a leader leaves by itself. */
    @Test
    void aReleaseIsNotDelayedAndKeepsTheKeyWithoutAValue() throws Exception {
        StoreClient a = client("lock-delay=15s");
        Observation.Held held = a.lead(key);

        a.release(held);

        assertThat(get(path).replace(" ", "")).contains("\"Value\":null").doesNotContain("Session");
        assertThat(a.lead(key).term()).isGreaterThan(held.term());
    }

    @Test
    void aDeletedKeyIsVacantAndTokensRiseOverIt() throws Exception {
        StoreClient a = client("");
        Observation.Held held = a.lead(key);

        ConsulServer.delete(CONSUL.server(), path);

        assertThat(a.read(key)).isInstanceOf(Observation.Vacant.class);
        assertThat(a.read(key).basis()).isEqualTo(new FreeAt(0));
        assertThat(a.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(a.release(held)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(a.lead(key).term()).isGreaterThan(held.term());
    }

    /** A plain write ignores the lock, and sets LockIndex to 0: what was a token elsewhere would begin anew. */
    @Test
    void anOverwrittenRecordIsForeignAndOnlyAReleaseFreesIt() throws Exception {
        StoreClient a = client("");
        StoreClient b = client("");
        Observation.Held held = a.lead(key);
        assertThat(get(path)).contains("\"LockIndex\": 1");

        put(path, "a stranger was here");

        Observation.Held seen = b.readHeld(key);
        assertThat(get(path)).contains("\"LockIndex\": 0");
        assertThat(seen.isForeign()).isTrue();
        assertThat(seen.shown()).isEqualTo("a stranger was here");
        assertThat(a.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(a.release(held)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(b.acquire(key, seen)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(b.readHeld(key).basis()).isEqualTo(seen.basis());

        assertThat(b.release(seen)).isInstanceOf(WriteOutcome.Written.class);
        assertThat(b.lead(key).term()).isGreaterThan(held.term());
    }

    /** Updates go by the lock, so that those who use LockIndex are not led astray. */
    @Test
    void ourUpdatesLeaveLockIndexAlone() throws Exception {
        StoreClient a = client("");
        Observation.Held held = a.lead(key);

        Observation.Held now = StoreClient.written(a.update(held, Intent.PROCLAIM));
        a.update(now, Intent.ASK_TO_LEAVE);

        assertThat(get(path)).contains("\"LockIndex\": 1");
    }

    /** Consul would let one session lock again and again, and its unlock knows no term. */
    @Test
    void lateVerbsOfTheSameSessionChangeNothing() {
        StoreClient a = client("");
        Observation vacant = a.read(key);
        Observation.Held first = a.lead(key);
        a.release(first);
        Observation.Held second = a.lead(key);

        assertThat(a.acquire(key, vacant)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(a.release(first)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(a.update(first, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Refused.class);

        assertThat(a.readHeld(key).basis()).isEqualTo(second.basis());
        assertThat(a.readHeld(key).record()).isEqualTo(second.record());
    }

    /** Consul's own acquire answers that with status 500, as if it were not known; a transaction says no. */
    @Test
    void aDeadSessionIsRefusedNotUnknown() throws Exception {
        StoreClient a = client("");
        Observation vacant = a.read(key);
        put("/v1/session/destroy/" + a.session().id(), "");

        assertThat(StoreClient.refused(a.acquire(key, vacant)).basis()).isEqualTo(vacant.basis());
        assertThat(get(path)).isEmpty();
    }

    /** The index of the lock is the token, and the first update writes it into the record. */
    @Test
    void theTokenIsTheIndexOfTheLock() throws Exception {
        StoreClient a = client("");
        Observation.Held held = a.lead(key);

        assertThat(get(path)).contains("\"ModifyIndex\": " + held.term());
        assertThat(held.record().term()).isZero();
        a.update(held, Intent.ASK_TO_LEAVE);
        assertThat(a.readHeld(key).term()).isEqualTo(held.term());
    }

    /** The record is JSON that anybody can read. */
    @Test
    void theRecordStandsInTheKeyAsJson() throws Exception {
        StoreClient a = client("");
        Observation.Held held = a.lead(key);

        assertThat(RecordJson.read(get(path + "?raw"))).isEqualTo(held.record());
    }

    @Test
    void aTemplateSaysWhereElectionsStand() throws Exception {
        StoreClient many = client("key=leaders/{election}");
        StoreClient one = client("key=MyApp-" + election + "/leader");
        many.lead(key);
        one.lead(key);

        assertThat(get("/v1/kv/leaders/" + election + "?raw")).contains("\"attempt\"");
        assertThat(get("/v1/kv/MyApp-" + election + "/leader?raw")).contains("\"attempt\"");
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> one.read(RecordKey.election("another")))
                .withMessageContaining(election)
                .withMessageContaining("another");
    }

    /** Named outright, the datacenter is the agent's own; Namespaces are not for the free Consul, which says so. */
    @Test
    void datacenterAndNamespaceReachConsul() throws Exception {
        String node = get("/v1/agent/self").replaceAll("(?s).*?\"NodeName\": *\"([^\"]+)\".*", "$1");
        StoreClient here = client("dc=dc1&node=" + node);
        here.lead(key);

        assertThat(get(path + "?dc=dc1&raw")).contains("\"attempt\"");
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> client("ns=team"))
                .withMessageContaining("Namespaces");
    }

    /**
     * More keys than get a query each: one query brings them all, and tells what changed, what went, and nothing of
     * others.
     */
    @Test
    void manyKeysAreWatchedTogether() throws Exception {
        StoreClient follower = client("");
        StoreClient leader = client("", Duration.ofMinutes(1));
        List<RecordKey> many = IntStream.rangeClosed(0, ConsulWatch.KEYS_MAX)
                .mapToObj(i -> RecordKey.election(election + "-" + i))
                .toList();
        many.forEach(follower::read);
        Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        try (Subscription watch = follower.store().watch(RecordKey.elections(), hints::add)) {
            assertThat(watch).isNotNull();
            leader.lead(key);
            for (RecordKey one : List.of(many.get(0), many.get(25), many.get(ConsulWatch.KEYS_MAX))) {
                Observation.Held held = leader.lead(one);
                Await.until("the hint of a lock", PATIENCE, () -> isTold(hints, held));
                Observation.Held now = StoreClient.written(leader.update(held, Intent.PROCLAIM));
                Await.until("the hint of an update", PATIENCE, () -> isTold(hints, now));
                ConsulServer.delete(CONSUL.server(), "/v1/kv/service/" + one.name() + "/leader");
                Await.until("the hint of a deletion", PATIENCE, () -> isTold(hints, Records.vacant(one, 0)));
            }
            assertThat(hints)
                    .allMatch(hint -> hint instanceof Hint.Seen seen
                            && many.contains(seen.observation().key()));
        }
    }

    private static boolean isTold(Queue<Hint> hints, Observation expected) {
        return hints.stream()
                .anyMatch(hint -> hint instanceof Hint.Seen seen
                        && seen.observation().key().equals(expected.key())
                        && seen.observation().basis().equals(expected.basis()));
    }

    @Test
    void aCallEndsByItsDeadlineWhateverItAsks() {
        StoreClient a = client("");

        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> StoreClient.answer(a.store().read(key, CallContext.within(Duration.ZERO))))
                .withMessageContaining("in time");
    }

    /** What a listing costs is what stands at its prefix and below. */
    @Test
    void aListingReadsNoNameThatMerelyBeginsAlike() throws Exception {
        StoreClient a = client("");
        RecordKey below = new RecordKey(RecordKey.ELECTIONS, List.of(election, "a"));
        a.lead(key);
        a.lead(below);
        for (int i = 0; i < 100; i++) {
            put("/v1/kv/service/" + election + "x".repeat(400) + i + "/leader", "");
        }
        try (FaultProxy proxy = FaultProxy.to("127.0.0.1", CONSUL.server().port("http"));
                ElectionStore lister = ConsulServer.open(proxy.port(), "")) {
            long before = proxy.forwarded(Direction.TO_CLIENT);

            Page<Observation> page = StoreClient.answer(lister.list(key, Cursor.START, StoreClient.call()));

            assertThat(page.items()).extracting(Observation::key).containsExactlyInAnyOrder(key, below);
            assertThat(proxy.forwarded(Direction.TO_CLIENT) - before)
                    .as("bytes that two records cost beside 40 kilobytes of names")
                    .isLessThan(10_000);
        }
    }

    /** As registrations do, whose prefix is the key of none. */
    @Test
    void aListingShowsWhatStandsApartFromWhatIsBelow() {
        StoreClient a = client("");
        RecordKey prefix = new RecordKey(RecordKey.REGISTRATIONS, List.of(election));
        RecordKey below = new RecordKey(RecordKey.REGISTRATIONS, List.of(election, "a"));
        assertThat(listed(a, prefix)).isEmpty();
        a.lead(below);
        assertThat(listed(a, prefix)).containsExactly(below);
        a.release(a.lead(prefix));
        assertThat(listed(a, prefix)).containsExactly(prefix, below);
    }

    private static List<RecordKey> listed(StoreClient lister, RecordKey prefix) {
        Page<Observation> page = StoreClient.answer(lister.store().list(prefix, Cursor.START, StoreClient.call()));
        return page.items().stream().map(Observation::key).toList();
    }

    @Test
    void anErasedKeyIsGoneAndTokensRiseOverIt() throws Exception {
        StoreClient a = client("");
        Observation.Held held = a.lead(key);
        a.release(held);

        WriteOutcome erased = a.erase(key);

        assertThat(((WriteOutcome.Written) erased).now().basis()).isEqualTo(FreeAt.NOWHERE);
        assertThat(get("/v1/kv/service/" + election + "?keys&separator=!")).isEmpty();
        assertThat(a.lead(key).term()).isGreaterThan(held.term());
    }

    /** It is done, and nobody is told: so is the caller, that it is not known. */
    @Test
    void aLostAnswerToAnEraseIsUnknown() throws Exception {
        StoreClient a = client("");
        a.release(a.lead(key));
        Observation.Vacant left = StoreClient.vacant(a.read(key));
        try (FaultProxy proxy = FaultProxy.to("127.0.0.1", CONSUL.server().port("http"));
                ElectionStore cut = ConsulServer.open(proxy.port(), "")) {
            proxy.stall(Direction.TO_CLIENT);
            CompletionStage<WriteOutcome> sent = cut.erase(left, CallContext.within(Duration.ofSeconds(20)));
            Await.until("the erase", PATIENCE, () -> a.read(key).basis().equals(FreeAt.NOWHERE));
            proxy.reset();

            assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> StoreClient.answer(sent));
        }
    }
}
