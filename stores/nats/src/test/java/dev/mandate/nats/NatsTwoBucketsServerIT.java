package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import io.nats.client.impl.Headers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Two buckets of one name: candidates on either side do not exclude each other, so whoever meets both must not lead.
 */
@Execution(ExecutionMode.CONCURRENT)
class NatsTwoBucketsServerIT {
    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final RecordKey JOBS = RecordKey.election("jobs");

    @RegisterExtension
    static final ServerExtension BLUE = NatsServer.shared(NatsServer.V215);

    @RegisterExtension
    static final ServerExtension OLD = NatsServer.shared(NatsServer.V29);

    private final String bucket = NatsServer.bucket();

    private StoreClient client(int port, String parameters) {
        return client("nats://127.0.0.1:" + port + "/" + bucket + parameters);
    }

    private static StoreClient client(String url) {
        return new StoreClient(new NatsStoreProvider().open(StoreUrl.parse(url).withLease(LEASE)), LEASE);
    }

    private static ServerProcess alone(String version) {
        return NatsServer.alone(ServerProcess.of(ServerBinary.named(version))).start();
    }

    private static String refusal(StoreClient user) {
        AtomicReference<String> said = new AtomicReference<>("");
        Await.until("a permanent fault", PATIENCE, () -> {
            try {
                user.read(JOBS);
                return false;
            } catch (StoreSetupException e) {
                said.set(String.valueOf(e.getMessage()));
                return true;
            } catch (RuntimeException e) {
                return false;
            }
        });
        return said.get();
    }

    @Test
    void aServerWithABucketThatWasThereBesideTheFirstIsNotUsed() throws Exception {
        besideTheFirst(BLUE.server().port("client"), NatsServer.V215);
    }

    @Test
    void norIsItOnAnOlderServer() throws Exception {
        besideTheFirst(OLD.server().port("client"), NatsServer.V29);
    }

    private void besideTheFirst(int blue, String version) throws Exception {
        try (ServerProcess green = alone(version);
                StoreClient there = client(green.port("client"), "?ttl=4s")) {
            there.read(JOBS);
            // The clocks of servers that keep one bucket may differ by less.
            Await.passing(Duration.ofMillis(1_500));
            switched(blue, green.port("client"), "while the first was still there");
        }
    }

    /** As when a name is switched from one cluster to the next, and candidates of either side run on. */
    private void switched(int first, int second, String... words) throws Exception {
        try (StoreClient there = client(second, "?ttl=4s");
                StoreClient stays = client(first, "?ttl=4s");
                FaultProxy toFirst = FaultProxy.to("127.0.0.1", first);
                FaultProxy toSecond = FaultProxy.to("127.0.0.1", second)) {
            toSecond.refuse();
            try (StoreClient moves = client("nats://127.0.0.1:" + toFirst.port() + ",127.0.0.1:" + toSecond.port() + "/"
                    + bucket + "?ttl=4s")) {
                Observation.Held held = stays.lead(JOBS);
                assertThat(moves.readHeld(JOBS).basis()).isEqualTo(held.basis());
                // Older servers say what time it is by the newest message alone, so that it must be looked at again.
                Await.passing(LEASE.dividedBy(2));

                toFirst.refuse();
                toSecond.pass();
                toFirst.reset();
                assertThat(refusal(moves)).contains("two buckets of this name").contains(words);
                Observation vacant = there.read(JOBS);
                assertThatExceptionOfType(StoreSetupException.class).isThrownBy(() -> moves.acquire(JOBS, vacant));

                toSecond.refuse();
                toFirst.pass();
                Await.until("the known bucket to be used again", PATIENCE, () -> reads(moves));
            }
        }
    }

    private static boolean reads(StoreClient user) {
        try {
            user.read(JOBS);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    @Test
    void aRecordThatNamesAnotherBucketIsNobodysTerm() throws Exception {
        int port = BLUE.server().port("client");
        try (StoreClient user = client(port, "");
                Operator operator = new Operator(port, bucket)) {
            Observation.Held held = user.lead(JOBS);
            byte[] value = operator.get("jobs").orElseThrow().getValue();
            operator.connection.publish(
                    Subjects.prefix(bucket) + "jobs", new Headers().put(Entry.BUCKET, "2001-02-03T04:05:06.7Z"), value);
            assertThat(refusal(user))
                    .contains("reading election/jobs", "made at 2001-02-03T04:05:06.7Z", "use two buckets");
            assertThat(user.renew(held)).isInstanceOf(WriteOutcome.Refused.class);
            // A copy without the name, as the other clients make, is one's own again.
            operator.put("jobs", new String(value, StandardCharsets.UTF_8));
            assertThat(user.readHeld(JOBS).record().attempt())
                    .isEqualTo(held.record().attempt());
        }
    }

    /** Neither side sees what is written on the other. */
    @Test
    void aLeafNodeWithADomainOfItsOwnHasAnotherBucket(@TempDir Path folder) throws Exception {
        try (ServerProcess hub = domain(folder, "hub", "host: 127.0.0.1, port: $LEAF", "{leaf}");
                ServerProcess leaf = domain(
                        folder,
                        "leaf",
                        "remotes: [ { url: \"nats-leaf://127.0.0.1:" + hub.port("leaf") + "\" } ]",
                        "")) {
            switched(hub.port("client"), leaf.port("client"), "domain 'hub'", "domain 'leaf'");
            assertThat(doctor("nats://127.0.0.1:" + hub.port("client") + ",127.0.0.1:" + leaf.port("client") + "/"
                            + bucket))
                    .anyMatch(each -> each.severity() == Finding.Severity.ERROR
                            && each.subject().equals("bucket")
                            && each.sentence().contains("not one bucket")
                            && each.sentence().contains("domain 'hub'")
                            && each.sentence().contains("domain 'leaf'"));
        }
    }

    private static ServerProcess domain(Path folder, String name, String leafNodes, String port) throws Exception {
        Path config = folder.resolve(name + ".conf");
        Files.writeString(
                config,
                "server_name: " + name + "\njetstream { store_dir: $STORE, domain: " + name + " }\nleafnodes { "
                        + leafNodes + " }\n");
        return NatsServer.plain(
                        ServerProcess.of(ServerBinary.named(NatsServer.V215)).ports("leaf"))
                .environment("STORE", "{data}/js")
                .environment("LEAF", port)
                .arguments("-c", config.toString())
                .start();
    }

    private static List<Finding> doctor(String url) {
        try (StoreClient user = client(url)) {
            return StoreClient.answer(((Diagnosable) user.store()).diagnose(LEASE, StoreClient.call()));
        }
    }

    @Test
    void theDoctorIsContentWithOneBucket() {
        int port = BLUE.server().port("client");
        assertThat(doctor("nats://127.0.0.1:" + port + ",localhost:" + port + "/" + bucket))
                .anyMatch(each -> each.severity() == Finding.Severity.OK
                        && each.subject().equals("bucket")
                        && each.sentence().contains("the one bucket"));
    }

    @Test
    void theDoctorFindsAServerWithoutTheBucket() {
        int blue = BLUE.server().port("client");
        try (ServerProcess green = alone(NatsServer.V215)) {
            assertThat(doctor("nats://127.0.0.1:" + blue + ",127.0.0.1:" + green.port("client") + "/" + bucket))
                    .anyMatch(each -> each.severity() == Finding.Severity.ERROR
                            && each.sentence().contains("127.0.0.1:" + green.port("client") + " has none"));
        }
    }
}
