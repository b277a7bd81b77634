package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Finding;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What {@code doctor} says of a cluster of which servers die or stand still: in one test at a time. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("nats cluster that the doctor looks at")
class NatsDoctorServerIT {
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Shorter than a try to connect may take. */
    private static final Duration SHORT = Duration.ofMillis(1_200);

    @RegisterExtension
    static final NatsClusterExtension CLUSTER = new NatsClusterExtension(NatsServer.V215);

    private final String bucket = NatsServer.bucket();

    @BeforeEach
    void mend() {
        CLUSTER.cluster().mend();
    }

    private String url(String parameters) {
        return CLUSTER.cluster().url(bucket, parameters + "&lease=" + LEASE.toSeconds() + "s");
    }

    /** Waits until the bucket is made: a cluster whose servers have just come back may take its time. */
    private static void awaitBucket(ElectionStore store) {
        Await.until("the bucket", PATIENCE, () -> {
            try {
                StoreClient.answer(store.read(RecordKey.PROBE, StoreClient.call()));
                return true;
            } catch (StoreUnavailableException e) {
                return false;
            }
        });
    }

    /** Waits until the doctor finds that: the others notice a silent server by and by. */
    private static void awaitFound(ElectionStore store, Finding.Severity severity, String... words) {
        AtomicReference<List<Finding>> latest = new AtomicReference<>(List.of());
        try {
            Await.until("a finding", PATIENCE, () -> {
                latest.set(StoreClient.answer(((Diagnosable) store).diagnose(LEASE, CallContext.within(SHORT))));
                return says(latest.get(), severity, words);
            });
        } catch (AssertionError e) {
            throw new AssertionError(severity + " " + Arrays.toString(words) + " was not found in " + latest, e);
        }
    }

    private static boolean says(List<Finding> found, Finding.Severity severity, String... words) {
        return found.stream()
                .anyMatch(finding ->
                        finding.severity() == severity && Arrays.stream(words).allMatch(finding.sentence()::contains));
    }

    /** It says goodbye to the others. */
    private static void stop(ServerProcess server) {
        assertThat(ProcessHandle.of(server.pid()).map(ProcessHandle::destroy)).hasValue(true);
    }

    private static String name(ServerProcess server) {
        return "s" + CLUSTER.cluster().servers().indexOf(server);
    }

    private static String host(ServerProcess server) {
        return "127.0.0.1:" + server.port("client");
    }

    @Test
    void theDoctorNamesWhoIsSilentAndWhoIsAway() {
        try (ElectionStore store = NatsServer.open(url("?replicas=3"))) {
            awaitBucket(store);
            awaitFound(store, Finding.Severity.OK, "3 servers keep the bucket", "led by s", "up to date");
            ServerProcess leader = CLUSTER.cluster().leader(bucket);
            ServerProcess replica = CLUSTER.cluster().servers().stream()
                    .filter(server -> !server.equals(leader))
                    .findFirst()
                    .orElseThrow();

            replica.freeze();
            awaitFound(store, Finding.Severity.ERROR, host(replica) + " does not answer in time");
            awaitFound(store, Finding.Severity.WARNING, "the replica on " + name(replica) + " was last heard of ");
            replica.thaw();
            awaitFound(store, Finding.Severity.OK, "3 servers keep the bucket", "up to date");

            stop(replica);
            awaitFound(store, Finding.Severity.WARNING, "the replica on " + name(replica) + " is away");
            awaitFound(store, Finding.Severity.ERROR, host(replica), "connection refused");
        }
    }

    /** Two of three servers keep it: without one of them it has no leader, although the cluster has. */
    @Test
    void theDoctorSaysThatTheBucketHasNoLeader() {
        try (ElectionStore store = NatsServer.open(url("?replicas=2"))) {
            awaitBucket(store);
            awaitFound(store, Finding.Severity.WARNING, "2 replicas bear the loss", "odd number");
            ServerProcess leader = CLUSTER.cluster().leader(bucket);
            leader.kill();
            awaitFound(store, Finding.Severity.ERROR, "the bucket has no leader");
            awaitFound(store, Finding.Severity.WARNING, "the replica on " + name(leader) + " is away or lags behind");
            awaitFound(store, Finding.Severity.ERROR, host(leader), "connection refused");
        }
    }
}
