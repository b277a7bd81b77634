package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Crowd;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import io.nats.client.PurgeOptions;
import io.nats.client.api.KeyValueConfiguration;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What somebody does to a bucket while it is in use: makes its time to live shorter, deletes it, or puts something else
 * in its place.
 */
@Execution(ExecutionMode.CONCURRENT)
class NatsBucketChangesServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final RecordKey JOBS = RecordKey.election("jobs");

    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V215);

    @RegisterExtension
    static final ServerExtension OLDER = NatsServer.shared(NatsServer.V210);

    @RegisterExtension
    static final ServerExtension OLDEST = NatsServer.shared(NatsServer.V29);

    private final String bucket = NatsServer.bucket();

    private static int port() {
        return NATS.server().port("client");
    }

    /** The store is told the lease, as clients tell it. */
    private StoreClient client(int port, String parameters, Duration lease) {
        StoreUrl url = StoreUrl.parse(NatsServer.url(port, bucket, parameters)).withLease(lease);
        return new StoreClient(new NatsStoreProvider().open(url), lease);
    }

    private StoreClient client(String parameters, Duration lease) {
        return client(port(), parameters, lease);
    }

    private Operator operator(int port) throws Exception {
        return new Operator(port, bucket);
    }

    private Operator operator() throws Exception {
        return operator(port());
    }

    private void live(Operator operator, Duration ttl) throws Exception {
        var management = operator.connection.jetStreamManagement();
        StreamConfiguration now =
                management.getStreamInfo(Subjects.stream(bucket)).getConfiguration();
        management.updateStream(StreamConfiguration.builder(now)
                .maxAge(ttl)
                .duplicateWindow(Duration.ofSeconds(1))
                .build());
    }

    /** Another client may have asked for a longer lease, up to what the bucket admitted at any time. */
    @Test
    void aDeletedBucketIsMadeAgainWhenNobodyCanBelieveWhateverHisLease() throws Exception {
        Duration ttl = Duration.ofSeconds(6);
        try (StoreClient user = client("?ttl=6s", Duration.ofSeconds(1));
                StoreClient other = client("", Duration.ofSeconds(5));
                Operator operator = operator()) {
            Observation.Held held = other.lead(JOBS);
            live(operator, Duration.ofSeconds(5));
            long deleted = System.nanoTime();
            operator.deleteBucket();
            Await.until("a read to work again", PATIENCE, () -> {
                try {
                    return user.read(JOBS) instanceof Observation.Vacant;
                } catch (RuntimeException e) {
                    return false;
                }
            });
            assertThat(Duration.ofNanos(System.nanoTime() - deleted)).isGreaterThanOrEqualTo(ttl);
            assertThat(user.lead(JOBS).term()).isGreaterThan(held.term());
        }
    }

    @Test
    void aDeletedBucketIsSaidToBeMadeAgainAndWhen() throws Exception {
        try (StoreClient user = client("?ttl=1h", Duration.ofSeconds(1));
                Operator operator = operator()) {
            operator.deleteBucket();
            Await.until("the sentence", PATIENCE, () -> says(user, "made again after 3600000 ms"));
            assertThat(says(user, "nats kv add " + bucket)).isTrue();
        }
    }

    @Test
    void aTimeToLiveThatIsMadeShorterIsCountedOnNoLonger() throws Exception {
        Duration lease = Duration.ofSeconds(6);
        Duration shorter = Duration.ofSeconds(4);
        try (StoreClient user = client("", lease);
                Operator operator = operator()) {
            RenewedAlways held = new RenewedAlways(user, user.lead(JOBS));
            assertThat(held.renew()).isGreaterThan(shorter);
            live(operator, shorter);
            Await.until("a shorter grant", PATIENCE, () -> held.renew().compareTo(shorter) < 0);
            RecordKey more = RecordKey.election("more");
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> user.lead(more))
                    .withMessageContainingAll("live for 4s", "the lease is 6s", "--max-age=12s");
            Diagnosable doctor = (Diagnosable) user.store();
            assertThat(StoreClient.answer(doctor.diagnose(lease, StoreClient.call())))
                    .anyMatch(each -> each.severity() == Finding.Severity.ERROR
                            && each.sentence().contains("live for 4s"));
            // Who leads may go, or hear that it is over.
            user.release(held.now);
            assertThat(user.read(JOBS)).isInstanceOf(Observation.Vacant.class);
            live(operator, lease.multipliedBy(10));
            Await.until("somebody to lead again", PATIENCE, () -> {
                try {
                    return user.lead(more).term() > 0;
                } catch (StoreSetupException e) {
                    return false;
                }
            });
        }
    }

    private static final class RenewedAlways {
        private final StoreClient user;
        Observation.Held now;

        RenewedAlways(StoreClient user, Observation.Held held) {
            this.user = user;
            this.now = held;
        }

        Duration renew() {
            WriteOutcome outcome = user.renew(now);
            now = StoreClient.written(outcome);
            return ((WriteOutcome.Written) outcome).granted().orElseThrow();
        }
    }

    @Test
    void twoNeverLeadWhileTheTimeToLiveIsMadeShorterAndOneLeadsAfterwards() throws Exception {
        String url = NatsServer.url(port(), bucket, "?ttl=10s&lease=4s");
        try (Crowd crowd = new Crowd(url, url, url);
                Operator operator = operator()) {
            crowd.awaitLeader();
            live(operator, Duration.ofSeconds(3));
            Await.passing(Duration.ofSeconds(8));
            crowd.awaitLeader().resign();
            Await.passing(Duration.ofSeconds(2));
            assertThat(crowd.leader())
                    .as("nobody, who could believe for too long")
                    .isEmpty();
            live(operator, Duration.ofSeconds(10));
            crowd.awaitLeader();
        }
    }

    @Test
    void revisionsThatWentBackAreNoTokens() throws Exception {
        wentBack(port(), config().limitMarker(Duration.ofMinutes(1)));
    }

    @Test
    void norAreTheyOnAnOlderServer() throws Exception {
        wentBack(OLDER.server().port("client"), config());
    }

    @Test
    void norOnOneThatCanNotChooseTheFirst() throws Exception {
        wentBack(OLDEST.server().port("client"), config());
    }

    private KeyValueConfiguration.Builder config() {
        return KeyValueConfiguration.builder(bucket).ttl(Duration.ofSeconds(30));
    }

    private void wentBack(int port, KeyValueConfiguration.Builder other) throws Exception {
        try (StoreClient user = client(port, "?ttl=30s", Duration.ofSeconds(30));
                Operator operator = operator(port)) {
            Observation.Held first = user.lead(JOBS);
            user.release(first);
            operator.deleteBucket();
            operator.connection.keyValueManagement().create(other.build());
            // Before the store has noticed, and after.
            String sentence = refusal(user, "one");
            assertThat(sentence).contains("went back", "given twice", "nats stream purge KV_" + bucket);
            assertThat(refusal(user, "two")).contains("went back");
            Await.until("what was written to be taken back", PATIENCE, () -> {
                try {
                    return operator.get("one").isEmpty();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });

            purge(operator, sentence);
            assertThat(awaitLead(user)).isGreaterThan(first.term());
        }
    }

    private void purge(Operator operator, String sentence) throws Exception {
        Matcher sequence = Pattern.compile("nats stream purge KV_" + bucket + " --seq=([0-9]+)")
                .matcher(sentence);
        assertThat(sequence.find()).isTrue();
        operator.connection
                .jetStreamManagement()
                .purgeStream(
                        Subjects.stream(bucket),
                        PurgeOptions.builder()
                                .sequence(Long.parseLong(sequence.group(1)))
                                .build());
    }

    private static long awaitLead(StoreClient user) {
        return Await.value("somebody to lead again", PATIENCE, () -> {
            try {
                return Optional.of(user.lead(JOBS).term());
            } catch (RuntimeException e) {
                return Optional.empty();
            }
        });
    }

    @Test
    void aDeletedBucketIsMadeByHandAsTheSentenceSays() throws Exception {
        madeByHand(port(), config().limitMarker(Duration.ofMinutes(1)), "made again after 3600000 ms", "or make it");
    }

    @Test
    void soItIsOnAnOlderServer() throws Exception {
        madeByHand(OLDER.server().port("client"), config(), "made again after 3600000 ms", "or make it");
    }

    @Test
    void soItIsOnOneThatCanNotChooseTheFirst() throws Exception {
        madeByHand(OLDEST.server().port("client"), config(), "wait: for 3600000 ms", "then make it");
    }

    private void madeByHand(int port, KeyValueConfiguration.Builder other, String... words) throws Exception {
        Duration lease = Duration.ofHours(1);
        try (StoreClient user = client(port, "?ttl=1h", lease);
                Operator operator = operator(port)) {
            Observation.Held first = user.lead(JOBS);
            operator.deleteBucket();
            String sentence = Await.value("the sentence", PATIENCE, () -> {
                try {
                    user.read(JOBS);
                    return Optional.empty();
                } catch (RuntimeException e) {
                    return Optional.of(String.valueOf(e.getMessage()))
                            .filter(said -> said.contains("no such bucket any more"));
                }
            });
            assertThat(sentence).contains("nats kv add " + bucket).contains(words);
            operator.connection.keyValueManagement().create(other.ttl(lease).build());
            purge(operator, sentence);
            assertThat(awaitLead(user)).isGreaterThan(first.term());
        }
    }

    /** While its connection was lost, the bucket may have been there, and somebody led in it. */
    @Test
    void aBucketThatWasThereMeanwhileIsWaitedForAnew() throws Exception {
        Duration lease = Duration.ofSeconds(4);
        try (FaultProxy proxy = FaultProxy.to("127.0.0.1", port());
                StoreClient user = client(proxy.port(), "?ttl=4s", lease);
                Operator operator = operator()) {
            operator.deleteBucket();
            Await.until("the sentence", PATIENCE, () -> says(user, "made again after 4000 ms"));
            proxy.refuse();
            proxy.reset();
            try (StoreClient other = client("?ttl=4s", lease)) {
                other.read(JOBS);
                Await.passing(lease.multipliedBy(2));
                assertThat(says(user, "made again")).as("a connection").isFalse();
                long believed = System.nanoTime();
                Observation.Held held = other.lead(JOBS);
                operator.deleteBucket();
                proxy.pass();
                long next = Await.value("somebody to lead", PATIENCE.multipliedBy(2), () -> {
                    try {
                        return Optional.of(user.lead(JOBS).term());
                    } catch (RuntimeException e) {
                        return Optional.empty();
                    }
                });
                assertThat(Duration.ofNanos(System.nanoTime() - believed)).isGreaterThanOrEqualTo(lease);
                assertThat(next).isGreaterThan(held.term());
            }
        }
    }

    private static boolean says(StoreClient user, String words) {
        try {
            user.read(JOBS);
            return false;
        } catch (RuntimeException e) {
            return String.valueOf(e.getMessage()).contains(words);
        }
    }

    /**
     * As after a power failure, too: what the server had confirmed is gone. Whoever ran on leads again, and nobody has
     * to help.
     */
    @Test
    void candidatesThatRanLeadAgainInAnOlderCopyOfTheBucket(@TempDir Path folder) throws Exception {
        Path copy = folder.resolve("copy");
        try (ServerProcess server = NatsServer.alone(ServerProcess.of(ServerBinary.named(NatsServer.V215)))
                .start()) {
            int port = server.port("client");
            String url = NatsServer.url(port, bucket, "?ttl=1h&lease=2s");
            try (Crowd crowd = new Crowd(url, url, url)) {
                Leadership first = crowd.awaitLeader();
                server.kill();
                copy(server.data(), copy);
                crowd.awaitLoss(first, PATIENCE);
                server.restart();
                Leadership lost = awaitAfter(crowd, first);
                crowd.awaitSeen(lost, PATIENCE);
                long newest = newest(port);
                server.kill();
                copy(copy, server.data());
                crowd.awaitLoss(lost, PATIENCE);
                server.restart();
                assertThat(newest(port)).as("the newest revision").isLessThan(newest);
                Leadership next = Await.value("somebody to lead again", PATIENCE.multipliedBy(2), crowd::leader);
                assertThat(next.fencingToken().value())
                        .as("the term after one that was lost")
                        .isGreaterThan(lost.fencingToken().value());
            }
        }
    }

    private static Leadership awaitAfter(Crowd crowd, Leadership former) {
        return Await.value(
                "the next term",
                PATIENCE,
                () -> crowd.leader()
                        .filter(term -> term.fencingToken().value()
                                > former.fencingToken().value()));
    }

    private long newest(int port) throws Exception {
        try (Operator operator = operator(port)) {
            return operator.connection
                    .jetStreamManagement()
                    .getStreamInfo(Subjects.stream(bucket))
                    .getStreamState()
                    .getLastSequence();
        }
    }

    /**
     * As when the others of a cluster lost some, and the connection did not end: the bucket is looked at, and its next
     * revisions are tokens.
     */
    @Test
    void aSmallerRevisionOfTheSameBucketIsWritten() throws Exception {
        Duration lease = Duration.ofSeconds(30);
        Link link = new Link(NatsUrl.settings(
                StoreUrl.parse(NatsServer.url(port(), bucket, "?ttl=30s")).withLease(lease)));
        try (Operator operator = operator()) {
            link.start();
            link.awaitFirst(StoreClient.call());
            Wire wire = new Wire(link);
            long before = link.known().newest();
            link.known().saw(before + 1_000);
            byte[] value = {'x'};
            long first = StoreClient.answer(wire.create(op("one"), 0, value, lease));
            long second = StoreClient.answer(wire.create(op("two"), 0, value, lease));
            assertThat(second).isGreaterThan(first).isLessThan(before + 1_000);
            assertThat(link.known().newest()).isEqualTo(second);
            assertThat(operator.get("one")).as("not taken back").isPresent();
        } finally {
            link.close();
        }
    }

    private static Op op(String path) {
        return new Op("writing", RecordKey.election(path), path, StoreClient.call());
    }

    /** What else is there goes. */
    private static void copy(Path from, Path to) throws IOException {
        if (Files.exists(to)) {
            try (Stream<Path> former = Files.walk(to)) {
                for (Path each : former.sorted(Comparator.reverseOrder())
                        .filter(path -> !path.equals(to))
                        .toList()) {
                    Files.delete(each);
                }
            }
        }
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Path target = to.resolve(from.relativize(each).toString());
                if (!Files.isDirectory(target)) {
                    Files.copy(each, target);
                }
            }
        }
    }

    /** On an empty basis, so that nothing but the revision could show it. */
    private static String refusal(StoreClient user, String name) {
        RecordKey key = RecordKey.election(name);
        try {
            WriteOutcome outcome = user.acquire(key, Observation.vacant(key, new VacantAt(0)));
            throw new AssertionError("not refused: " + outcome);
        } catch (StoreSetupException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void whatAnotherStreamTookIsNotWritten() throws Exception {
        try (StoreClient user = client("?ttl=1h", Duration.ofMinutes(1));
                Operator operator = operator()) {
            Observation vacant = user.read(JOBS);
            operator.deleteBucket();
            operator.connection
                    .jetStreamManagement()
                    .addStream(StreamConfiguration.builder()
                            .name("OTHER_" + bucket)
                            .subjects(Subjects.all(bucket))
                            .allowMessageTtl()
                            .build());
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> user.acquire(JOBS, vacant))
                    .withMessageContainingAll("acquiring election/jobs", "'OTHER_" + bucket + "'", "delete it");
        }
    }
}
