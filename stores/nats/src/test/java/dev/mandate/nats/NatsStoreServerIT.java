package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Direction;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreClient;
import io.nats.client.api.KeyValueConfiguration;
import io.nats.client.api.KeyValueStatus;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the store does with buckets and keys, each test in a bucket of its own on servers that all share in peace. */
@Execution(ExecutionMode.CONCURRENT)
class NatsStoreServerIT {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final RecordKey JOBS = RecordKey.election("jobs");

    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V215);

    @RegisterExtension
    static final ServerExtension OLD = NatsServer.shared(NatsServer.V29);

    private final String bucket = NatsServer.bucket();

    private static int port() {
        return NATS.server().port("client");
    }

    private String url(String parameters) {
        return NatsServer.url(port(), bucket, parameters);
    }

    private Operator operator() throws Exception {
        return new Operator(port(), bucket);
    }

    private static void refused(String url, String... words) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> NatsServer.open(url).close())
                .withMessageContainingAll(words);
    }

    private static KeyValueConfiguration.Builder config(String bucket) {
        return KeyValueConfiguration.builder(bucket).ttl(Duration.ofSeconds(30)).storageType(StorageType.File);
    }

    @Test
    void aBucketIsMadeWithTimesToLiveOfKeysAndABackstop() throws Exception {
        try (StoreClient user = NatsServer.client(url("?ttl=20m"), LEASE);
                Operator operator = operator()) {
            KeyValueStatus status = operator.connection.keyValueManagement().getStatus(bucket);
            assertThat(status.getTtl()).isEqualTo(Duration.ofMinutes(20));
            assertThat(status.getLimitMarkerTtl()).isEqualTo(Duration.ofMinutes(1));
            assertThat(status.getMaxHistoryPerKey()).isEqualTo(1);
            assertThat(user.store().traits().leaseMax()).isEqualTo(Duration.ofMinutes(20));
        }
    }

    @Test
    void onAnOldServerTheBucketsTimeToLiveIsTheLease() throws Exception {
        int port = OLD.server().port("client");
        String name = NatsServer.bucket();
        try (StoreClient user = NatsServer.client(NatsServer.url(port, name, "?ttl=5s"), Duration.ofSeconds(5))) {
            assertThat(user.store().traits().leaseMin()).isEqualTo(Duration.ofSeconds(5));
            assertThat(user.store().traits().leaseMax()).isEqualTo(Duration.ofSeconds(5));
        }
        refused(NatsServer.url(port, NatsServer.bucket(), "?expiring=key"), "2.9", "2.11", "expiring=bucket");
        refused(NatsServer.url(port, NatsServer.bucket(), "?replicas=3"), "2.9", "2.10.27");
    }

    @Test
    void aBucketThatDoesNotFitIsSaidWhole() throws Exception {
        try (Operator operator = operator()) {
            var management = operator.connection.keyValueManagement();
            management.create(KeyValueConfiguration.builder(bucket)
                    .maxHistoryPerKey(5)
                    .storageType(StorageType.Memory)
                    .build());
            refused(url(""), bucket, "5 revisions", "in memory", "storage=memory", "live for ever", "--max-age");
            refused(url("?replicas=3"), "1 replicas", "--replicas=3");
            String other = NatsServer.bucket();
            management.create(config(other).build());
            refused(NatsServer.url(port(), other, "?expiring=key"), "--allow-msg-ttl", "expiring=bucket");
            refused(NatsServer.url(port(), NatsServer.bucket(), "?create=false"), "no such bucket", "nats kv add");
            // What is there with a time to live alone is taken, as the recipe makes it.
            try (StoreClient user = NatsServer.client(NatsServer.url(port(), other, ""), Duration.ofSeconds(30))) {
                assertThat(user.store().traits().leaseMin()).isEqualTo(Duration.ofSeconds(30));
            }
        }
    }

    @Test
    void revisionsOfABucketThatReplacesAnotherOneGoOn() throws Exception {
        long first;
        try (StoreClient user = NatsServer.client(url(""), LEASE);
                Operator operator = operator()) {
            first = user.lead(JOBS).term();
            operator.deleteBucket();
        }
        try (StoreClient user = NatsServer.client(url(""), LEASE)) {
            assertThat(user.lead(JOBS).term()).isGreaterThan(first);
        }
    }

    @Test
    void aBucketThatIsDeletedMeanwhileIsMadeAgainWhenNoLeaderCanBelieveAnyMore() throws Exception {
        try (StoreClient user = NatsServer.client(url("?ttl=3s"), LEASE);
                Operator operator = operator()) {
            Observation.Held held = user.lead(JOBS);
            long deleted = System.nanoTime();
            operator.deleteBucket();
            Await.until("a read to work again", PATIENCE, () -> {
                try {
                    return user.read(JOBS) instanceof Observation.Vacant;
                } catch (RuntimeException e) {
                    return false;
                }
            });
            assertThat(Duration.ofNanos(System.nanoTime() - deleted)).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
            assertThat(user.renew(held)).isInstanceOf(WriteOutcome.Refused.class);
            assertThat(user.lead(JOBS).term()).isGreaterThan(held.term());
        }
    }

    @Test
    void keysArePlainWherePossible() throws Exception {
        try (StoreClient user = NatsServer.client(url(""), LEASE);
                Operator operator = operator()) {
            user.lead(RecordKey.election("com.acme.jobs-1"));
            user.lead(RecordKey.election("a b*>.$"));
            assertThat(operator.kv().keys()).containsExactlyInAnyOrder("com.acme.jobs-1", "a=20b=2A=3E.=24");
        }
    }

    /**
     * The server replaces what expires by a marker of its own, whatever stands there by then. That must not happen to
     * the marker of a release: it would erase an acquire that was acknowledged at that moment.
     */
    @Test
    void aReleaseLeavesNoKeyAndItsMarkerGoesWithoutAnother() throws Exception {
        try (Operator operator = operator()) {
            operator.connection
                    .keyValueManagement()
                    .create(config(bucket).limitMarker(Duration.ofSeconds(1)).build());
            try (StoreClient user = NatsServer.client(url(""), LEASE)) {
                Observation released = ((WriteOutcome.Written) user.release(user.lead(JOBS))).now();
                assertThat(operator.kv().keys()).isEmpty();
                assertThat(operator.get("jobs")).isEmpty();
                assertThat(released.basis()).isInstanceOf(VacantAt.class).isNotEqualTo(new VacantAt(0));

                Observation after = Await.value(
                        "the marker to go",
                        PATIENCE,
                        () -> Optional.of(user.read(JOBS))
                                .filter(now -> !now.basis().equals(released.basis())));
                assertThat(after.basis()).isEqualTo(new VacantAt(0));
            }
        }
    }

    /** Another program's deletion lives for as long as the bucket lets it, and then it is replaced, as above. */
    @Test
    void nothingIsAcquiredOnADeletionThatMayBeReplaced() throws Exception {
        try (StoreClient user = NatsServer.client(url(""), LEASE);
                Operator operator = operator()) {
            operator.put("jobs", "stranger");
            operator.delete("jobs");
            VacantAt deleted = (VacantAt) user.read(JOBS).basis();
            assertThat(deleted.isDeleted()).isTrue();
            assertThat(user.lead(JOBS).term()).as("a marker is between").isEqualTo(deleted.revision() + 2);
        }
        // Without such markers there is nothing to fear.
        String other = NatsServer.bucket();
        try (StoreClient user = NatsServer.client(NatsServer.url(port(), other, "?expiring=bucket&ttl=2s"), LEASE);
                Operator operator = new Operator(port(), other)) {
            operator.put("jobs", "stranger");
            operator.delete("jobs");
            VacantAt deleted = (VacantAt) user.read(JOBS).basis();
            assertThat(user.lead(JOBS).term()).isEqualTo(deleted.revision() + 1);
        }
    }

    @Test
    void anEraseRemovesTheMarkerThatWasSeenAndNoOther() {
        try (StoreClient user = NatsServer.client(url(""), LEASE)) {
            user.release(user.lead(JOBS));
            Observation.Vacant old = StoreClient.vacant(user.read(JOBS));
            user.release(user.lead(JOBS));
            Observation.Vacant vacant = StoreClient.vacant(user.read(JOBS));
            assertThat(vacant.basis()).isNotEqualTo(new VacantAt(0));

            assertThat(StoreClient.refused(user.erase(old)).basis()).isEqualTo(vacant.basis());
            assertThat(user.erase(vacant)).isInstanceOf(WriteOutcome.Written.class);

            assertThat(user.read(JOBS).basis()).isEqualTo(new VacantAt(0));
            assertThat(user.lead(JOBS).term()).isGreaterThan(((VacantAt) vacant.basis()).revision());
        }
    }

    /** Its first half is done, and the caller can't know. */
    @Test
    void aLostAnswerToAnEraseIsUnknown() throws Exception {
        try (StoreClient user = NatsServer.client(url(""), LEASE);
                FaultProxy proxy = FaultProxy.to("127.0.0.1", port());
                StoreClient cut = NatsServer.client(NatsServer.url(proxy.port(), bucket, ""), LEASE)) {
            user.release(user.lead(JOBS));
            Observation.Vacant vacant = StoreClient.vacant(cut.read(JOBS));

            proxy.stall(Direction.TO_CLIENT);
            CompletionStage<WriteOutcome> sent = cut.store().erase(vacant, CallContext.within(Duration.ofSeconds(20)));
            Await.until("the marker", PATIENCE, () -> !user.read(JOBS).basis().equals(vacant.basis()));
            proxy.reset();

            assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> StoreClient.answer(sent));
        }
    }

    /** A blind write has no time to live: it stays beyond any lease, and goes with the bucket's own. */
    @Test
    void aStrangersBlindPutIsNeverTakenOverAndGoesWithTheBackstop() throws Exception {
        try (StoreClient user = NatsServer.client(url("?ttl=8s"), LEASE);
                Operator operator = operator()) {
            Observation.Held held = user.lead(JOBS);
            operator.put("jobs", "member 1");

            assertThat(user.renew(held)).isInstanceOf(WriteOutcome.Refused.class);
            Observation.Held seen = user.readHeld(JOBS);
            assertThat(seen.isForeign()).isTrue();
            assertThat(seen.shown()).isEqualTo("member 1");
            assertThat(seen.lease()).contains(Duration.ofSeconds(8));
            Await.passing(LEASE.plusSeconds(2));
            assertThat(user.readHeld(JOBS).basis()).isEqualTo(seen.basis());
            Await.until("the stranger's key to go", PATIENCE, () -> user.read(JOBS) instanceof Observation.Vacant);
        }
    }

    /** The other clients' update forgets a key's own time to live; the next renewal gives it back. */
    @Test
    void aCopyWithoutATimeToLiveIsRenewedIntoOneWithIt() throws Exception {
        try (StoreClient user = NatsServer.client(url(""), LEASE.multipliedBy(4));
                Operator operator = operator()) {
            Observation.Held held = user.lead(JOBS);
            operator.put("jobs", new String(operator.get("jobs").orElseThrow().getValue(), "UTF-8"));
            Observation.Held copied = user.readHeld(JOBS);
            assertThat(copied.isAttempt(held.record().attempt())).isTrue();

            StoreClient.written(user.renew(copied));

            Await.until("the key to expire", PATIENCE, () -> user.read(JOBS) instanceof Observation.Vacant);
        }
    }

    private static Queue<Hint> hints() {
        return new ConcurrentLinkedQueue<>();
    }

    private static boolean tellsVacancy(Queue<Hint> hints) {
        return hints.stream()
                .anyMatch(hint -> hint instanceof Hint.Seen seen && seen.observation() instanceof Observation.Vacant);
    }

    private static void awaitOpen(Queue<Hint> hints) {
        Await.until("the watch to be open", PATIENCE, () -> hints.contains(Hint.Gap.INSTANCE));
    }

    @Test
    void anExpiryIsToldByItsMarker() {
        expiryIsTold(url(""), LEASE);
    }

    @Test
    void withoutLimitMarkersAnExpiryIsToldByATimer() throws Exception {
        try (Operator operator = operator()) {
            operator.connection
                    .jetStreamManagement()
                    .addStream(StreamConfiguration.builder()
                            .name("KV_" + bucket)
                            .subjects("$KV." + bucket + ".>")
                            .maxMessagesPerSubject(1)
                            .maxAge(Duration.ofMinutes(10))
                            .allowMessageTtl()
                            .build());
        }
        expiryIsTold(url(""), LEASE);
    }

    @Test
    void withTheBucketsTimeToLiveAnExpiryIsToldByATimer() {
        expiryIsTold(url("?expiring=bucket&ttl=2s"), LEASE);
        int port = OLD.server().port("client");
        expiryIsTold(NatsServer.url(port, NatsServer.bucket(), "?ttl=2s"), LEASE);
    }

    private static void expiryIsTold(String url, Duration lease) {
        Queue<Hint> hints = hints();
        try (StoreClient user = NatsServer.client(url, lease);
                StoreClient other = NatsServer.client(url, lease);
                Subscription watch = other.store().watch(RecordKey.elections(), hints::add)) {
            assertThat(watch).isNotNull();
            awaitOpen(hints);
            user.lead(JOBS);
            Await.until("a hint of the end", PATIENCE, () -> tellsVacancy(hints));
            assertThat(other.read(JOBS)).isInstanceOf(Observation.Vacant.class);
        }
    }

    /** Renewals change nothing that anybody needs to hear of. */
    @Test
    void renewalsAreToldOnceForEachAttempt() {
        Queue<Hint> hints = hints();
        try (StoreClient user = NatsServer.client(url(""), LEASE);
                StoreClient other = NatsServer.client(url(""), LEASE);
                Subscription watch = other.store().watch(RecordKey.elections(), hints::add)) {
            assertThat(watch).isNotNull();
            awaitOpen(hints);
            Observation.Held held = user.lead(JOBS);
            for (int i = 0; i < 5; i++) {
                held = StoreClient.written(user.renew(held));
            }
            user.release(held);
            Await.until("a hint of the release", PATIENCE, () -> tellsVacancy(hints));
            hints.remove(Hint.Gap.INSTANCE);
            assertThat(hints).hasSizeLessThanOrEqualTo(2);
        }
    }

    @Test
    void theDoctorIsToldOfServersAndBucket() {
        try (StoreClient user = NatsServer.client(url(""), LEASE)) {
            Diagnosable doctor = (Diagnosable) user.store();
            List<Finding> found = StoreClient.answer(doctor.diagnose(LEASE, StoreClient.call()));
            assertThat(found)
                    .extracting(Finding::subject)
                    .contains("version", "cluster", "clock", "lease", "durability");
            assertThat(found).noneMatch(each -> each.severity() == Finding.Severity.ERROR);
            assertThat(found).anyMatch(each -> each.sentence().contains("2000 ms leaves"));
        }
        int port = OLD.server().port("client");
        try (StoreClient user =
                NatsServer.client(NatsServer.url(port, NatsServer.bucket(), "?ttl=4s"), Duration.ofSeconds(4))) {
            Diagnosable doctor = (Diagnosable) user.store();
            assertThat(StoreClient.answer(doctor.diagnose(Duration.ofSeconds(4), StoreClient.call())))
                    .anyMatch(each -> each.severity() == Finding.Severity.WARNING
                            && each.sentence().contains("2.10.27"));
        }
    }
}
