package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Hint;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Believers;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StalledDisk;
import dev.mandate.testkit.StoreClient;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.PutRequest;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The disk of the cluster's leader stalls: the others depose it, and it does not hear of that while it waits for its
 * disk.
 */
abstract class EtcdStaleLeaderScenarios {
    private static final String LEASE = "?lease=10s";
    private static final Duration STALL = Duration.ofSeconds(25);
    private static final Duration AFTERWARDS = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    EtcdCluster cluster;

    /** The version of the servers. */
    abstract String version();

    /** What becomes of the deposed leader at last. */
    abstract void end(ServerProcess stale, StalledDisk disk);

    @BeforeEach
    void start() {
        cluster = EtcdCluster.start(version());
    }

    @AfterEach
    void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void aStaleLeaderOfTheClusterConfirmsNoRenewal() throws Exception {
        ServerProcess stale = cluster.leader();
        long staleId = EtcdCluster.id(stale);
        ServerProcess other = cluster.follower();
        String all = cluster.url("", cluster.from(stale), LEASE);
        String alone = cluster.url("", List.of(stale), LEASE);
        String elsewhere = cluster.url("", cluster.from(other), LEASE);
        String reaching = StoreClient.key("reaching").name();
        String cutOff = StoreClient.key("cut-off").name();
        Believers reachingBelievers = new Believers();
        Believers cutOffBelievers = new Believers();
        Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        try (ElectionClient holder = ElectionClient.connect(all);
                ElectionClient prisoner = ElectionClient.connect(alone);
                ElectionClient challenger = ElectionClient.connect(elsewhere);
                StoreClient watcher = EtcdServer.client(all);
                Subscription watch = watcher.store().watch(RecordKey.elections(), hints::add)) {
            assertThat(watch).isNotNull();
            Leadership kept = holder.election(reaching).campaign("holder");
            Leadership lost = prisoner.election(cutOff).campaign("prisoner");
            reachingBelievers.add(kept);
            cutOffBelievers.add(lost);
            CompletableFuture<Leadership> second = challenge(challenger, reaching, reachingBelievers);
            CompletableFuture<Leadership> next = challenge(challenger, cutOff, cutOffBelievers);

            try (StalledDisk disk = StalledDisk.of(stale);
                    Operator operator = new Operator(stale.port("client"))) {
                // A stall is noticed by who writes.
                var unused = KVGrpc.newFutureStub(operator.channel)
                        .withDeadlineAfter(STALL.toSeconds(), TimeUnit.SECONDS)
                        .put(PutRequest.newBuilder()
                                .setKey(ByteString.copyFromUtf8("/stall"))
                                .build());
                look(STALL, reachingBelievers, cutOffBelievers);

                // The stalled member need not answer by now.
                assertThat(EtcdCluster.leaderKnownTo(other))
                        .as("who leads the cluster")
                        .isNotZero()
                        .isNotEqualTo(staleId);
                assertThat(kept.isValid())
                        .as("the term of who can reach the others")
                        .isTrue();
                assertThat(lost.isValid()).as("the term of who cannot").isFalse();
                assertThat(next).succeedsWithin(PATIENCE);
                assertThatAWatchMovesOn(watcher, hints, elsewhere);
                end(stale, disk);
                look(AFTERWARDS, reachingBelievers, cutOffBelievers);
            }
            assertThat(kept.isValid()).isTrue();
            assertThat(second).isNotDone();
            second.cancel(true);
        }
    }

    /** It was opened at the member that has stalled, which keeps it open and says nothing on it. */
    private static void assertThatAWatchMovesOn(StoreClient watcher, Queue<Hint> hints, String elsewhere) {
        RecordKey key = StoreClient.key("watched");
        CallContext soon = CallContext.within(Duration.ofSeconds(1));
        var unused = watcher.store()
                .read(key, soon)
                .handle((seen, failure) -> failure)
                .toCompletableFuture()
                .join();
        try (StoreClient writer = EtcdServer.client(elsewhere)) {
            var held = writer.lead(key);
            Await.until(
                    "a hint of " + held, PATIENCE, () -> hints.stream().anyMatch(hint -> EtcdFixture.isOf(key, hint)));
        }
    }

    private static CompletableFuture<Leadership> challenge(ElectionClient client, String election, Believers all) {
        return client.election(election)
                .campaignAsync("challenger")
                .thenApply(term -> {
                    all.add(term);
                    return term;
                })
                .toCompletableFuture();
    }

    private static void look(Duration during, Believers... elections) {
        long from = System.nanoTime();
        Await.until("the stall to be over", PATIENCE, () -> {
            for (Believers each : elections) {
                each.requireOne();
            }
            return System.nanoTime() - from >= during.toNanos();
        });
    }
}
