package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreClient;
import io.nats.client.api.KeyValueConfiguration;
import io.nats.client.api.StorageType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What is written at the moment when something expires. The server puts a marker in place of what stands there by then,
 * also of a record it has just acknowledged. No belief rests on such an answer: an acquire replaces only what expires
 * without a marker of its own, and a renewal that is erased was acknowledged when the term it was to prolong was over.
 *
 * <p>A build tries some hundred keys, {@code -Dmandate.nats.expiries=20000} as many.
 */
@Execution(ExecutionMode.CONCURRENT)
class NatsExpiryRaceServerIT {
    private static final int KEYS = Integer.getInteger("mandate.nats.expiries", 200);
    private static final int AT_ONCE = 200;
    private static final int ROUNDS_MORE = 20;
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofSeconds(1);

    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V215);

    private final String bucket = NatsServer.bucket();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    /** Acquires that were acknowledged, each of a key of its own. */
    private final Queue<Observation.Held> acquired = new ConcurrentLinkedQueue<>();

    private final Queue<Renewed> renewed = new ConcurrentLinkedQueue<>();

    /**
     * A renewal that was acknowledged: how long before the end of the lease it was to prolong; negative for afterwards.
     */
    private record Renewed(Observation.Held held, long leftNanos) {}

    private int acquires;
    private int renewals;
    private int lost;
    private ElectionStore store;
    private StoreClient user;

    @Test
    void noBeliefRestsOnAnAnswerThatAnExpiryErases() throws Exception {
        race("nats://127.0.0.1:" + NATS.server().port("client"), 1);
    }

    @Test
    void norOnThreeServers() throws Exception {
        try (NatsCluster cluster = NatsCluster.start(NatsServer.V215)) {
            race("nats://127.0.0.1:" + cluster.servers().get(0).port("client"), 3);
        }
    }

    private void race(String server, int replicas) throws Exception {
        try (Operator operator = new Operator(server, bucket)) {
            operator.connection
                    .keyValueManagement()
                    .create(KeyValueConfiguration.builder(bucket)
                            .ttl(Duration.ofMinutes(10))
                            .limitMarker(SHORT)
                            .replicas(replicas)
                            .storageType(StorageType.File)
                            .build());
            store = NatsServer.open(server + "/" + bucket);
            user = new StoreClient(store, LONG);
            // A busy machine may come too late with all of a round.
            for (int i = 0;
                    i < KEYS || (acquires == 0 || renewals == 0) && i < KEYS + ROUNDS_MORE * AT_ONCE;
                    i += AT_ONCE) {
                round(i, i + AT_ONCE);
                // So late that no marker is under way any more.
                StoreClient.answer(after(2_500, () -> CompletableFuture.completedStage(true)));
                judge();
            }
            assertThat(acquires).as("acquires at an expiry").isPositive();
            assertThat(renewals).as("renewals at an expiry").isPositive();
            System.out.println("at an expiry: " + acquires + " acquires and " + renewals
                    + " renewals acknowledged; erased " + lost + " renewals, all too late to be believed");
        } finally {
            timer.shutdownNow();
            store.close();
        }
    }

    private void round(int from, int to) {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = from; i < to; i++) {
            RecordKey released = RecordKey.election("released-" + i);
            RecordKey expired = RecordKey.election("expired-" + i);
            all.add(after(uniform(0, 500), () -> released(released)).toCompletableFuture());
            all.add(after(uniform(0, 500), () -> expired(expired)).toCompletableFuture());
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
    }

    /** Acquires on the marker of a release, when that expires. */
    private CompletionStage<Void> released(RecordKey key) {
        return acquire(key, 0, LONG)
                .thenCompose(outcome -> store.release(key, written(outcome), call()))
                .thenCompose(outcome -> {
                    Observation vacant = ((WriteOutcome.Written) outcome).now();
                    return after(uniform(900, 1_150), () -> acquire(key, revision(vacant), LONG));
                })
                .thenAccept(this::acquired);
    }

    /** Renews when the lease is over, and acquires on the server's marker, when that expires. */
    private CompletionStage<Void> expired(RecordKey key) {
        long sentNanos = System.nanoTime();
        return acquire(key, 0, SHORT).thenCompose(first -> {
            Observation.Held held = written(first);
            long endNanos = sentNanos
                    + ((WriteOutcome.Written) first).granted().orElseThrow().toNanos();
            LeaderRecord longer =
                    record(held.record().incarnation(), held.record().attempt(), LONG);
            return after(uniform(600, 1_150), () -> store.update(key, held, longer, Intent.RENEW, call()))
                    .thenCompose(outcome -> {
                        if (outcome instanceof WriteOutcome.Written) {
                            renewed.add(new Renewed(written(outcome), endNanos - System.nanoTime()));
                            return CompletableFuture.<Void>completedStage(null);
                        }
                        return after(
                                        uniform(600, 1_200),
                                        () -> store.read(key, call())
                                                .thenCompose(now -> acquire(key, revision(now), LONG)))
                                .thenAccept(this::acquired);
                    });
        });
    }

    private CompletionStage<WriteOutcome> acquire(RecordKey key, long revision, Duration lease) {
        LeaderRecord record = record(StoreClient.id(), StoreClient.id(), lease);
        return store.acquire(key, Observation.vacant(key, new VacantAt(revision)), record, null, call());
    }

    private static LeaderRecord record(Id incarnation, Id attempt, Duration lease) {
        return LeaderRecord.proposal("candidate", incarnation, attempt, "value", lease, System.currentTimeMillis());
    }

    private void acquired(WriteOutcome outcome) {
        if (outcome instanceof WriteOutcome.Written) {
            acquired.add(written(outcome));
        }
    }

    /** What was written in this round. */
    private void judge() {
        assertThat(acquired)
                .allSatisfy(held -> assertThat(user.read(held.key()).basis())
                        .as("what was acquired stands")
                        .isEqualTo(held.basis()));
        List<Renewed> erased = renewed.stream()
                .filter(each ->
                        !user.read(each.held().key()).basis().equals(each.held().basis()))
                .toList();
        assertThat(erased)
                .as("renewals that were erased, acknowledged after the lease they were to prolong")
                .allMatch(each -> each.leftNanos() < 0);
        acquires += acquired.size();
        renewals += renewed.size();
        lost += erased.size();
        acquired.clear();
        renewed.clear();
    }

    private static Observation.Held written(WriteOutcome outcome) {
        return StoreClient.written(outcome);
    }

    private static long revision(Observation observation) {
        return observation.basis() instanceof VacantAt at ? at.revision() : 0;
    }

    private <T> CompletionStage<T> after(long millis, Supplier<CompletionStage<T>> next) {
        CompletableFuture<T> done = new CompletableFuture<>();
        timer.schedule(
                () -> next.get().whenComplete((value, failure) -> {
                    if (failure == null) {
                        done.complete(value);
                    } else {
                        done.completeExceptionally(failure);
                    }
                }),
                millis,
                TimeUnit.MILLISECONDS);
        return done;
    }

    private static long uniform(long from, long to) {
        return ThreadLocalRandom.current().nextLong(from, to);
    }

    private static CallContext call() {
        return CallContext.within(Duration.ofSeconds(20));
    }
}
