package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionsWatch;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceWatch;
import dev.mandate.spi.Basis;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ten thousand instances of one service, each of 200 bytes, or elections, that a client follows: what they cost. */
@Isolated("it counts the bytes of the JVM")
@Tag("long")
class ManyInstancesTest {
    private static final int COUNT = 10_000;
    private static final int PAGE = 500;
    private static final int BYTES_MAX = 1_024;

    private record At(long version) implements Basis, Liveness {}

    /** Makes every page anew, as a store does that reads it from a network. */
    private static final class Listed implements ElectionStore {
        private final StoreTraits traits;
        private final IntFunction<String> paths;
        private final IntFunction<String> values;
        int pages;

        Listed(Expiry expiry, IntFunction<String> paths, IntFunction<String> values) {
            this.paths = paths;
            this.values = values;
            this.traits = StoreTraits.of("listed", expiry, LeaseScope.RECORD);
        }

        @Override
        public StoreTraits traits() {
            return traits;
        }

        @Override
        public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
            pages++;
            int first = from.equals(Cursor.START) ? 0 : Integer.parseInt(from.opaque());
            List<Observation> items = new ArrayList<>();
            for (int i = first; i < first + PAGE; i++) {
                items.add(record(i));
            }
            Cursor next = first + PAGE == COUNT ? null : new Cursor(Integer.toString(first + PAGE));
            return CompletableFuture.completedFuture(new Page<>(items, next));
        }

        private Observation record(int number) {
            Id id = new Id(number * 31L, number);
            RecordKey key = RecordKey.parse(paths.apply(number));
            // A renewal each time it is looked at.
            At at = new At(1_000_000L + pages);
            return Observation.held(
                    key,
                    at,
                    at,
                    number + 1,
                    LeaderRecord.proposal(
                            "host-" + number + "/" + 4_000,
                            id,
                            id,
                            values.apply(number),
                            World.LEASE,
                            1_700_000_000_000L + number));
        }

        @Override
        public CompletionStage<Observation> read(RecordKey key, CallContext call) {
            throw new AssertionError("reads");
        }

        @Override
        public CompletionStage<WriteOutcome> acquire(
                RecordKey key, Observation basis, LeaderRecord proposal, StoreSession session, CallContext call) {
            throw new AssertionError("writes");
        }

        @Override
        public CompletionStage<WriteOutcome> update(
                RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
            throw new AssertionError("writes");
        }

        @Override
        public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
            throw new AssertionError("writes");
        }

        @Override
        public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
            throw new AssertionError("writes");
        }

        @Override
        public void close() {}
    }

    private static ServiceInstance instance(int number) {
        return ServiceInstance.at("http://10.0." + number / 256 + "." + number % 256 + ":8080/api")
                .withMetadata("zone", "eu-central-1" + (char) ('a' + number % 3))
                .withMetadata("version", "2.14." + number)
                .withMetadata("commit", "9f2c6a0e5b7d4c13a8e2f05d7b61c4a9e8d3f0" + number)
                .withMetadata("weight", Integer.toString(number % 100));
    }

    /**
     * The least of several readings after a collection: what else is garbage at that moment makes it larger, never
     * smaller.
     */
    private static long usedBytes() {
        Runtime runtime = Runtime.getRuntime();
        return IntStream.range(0, 5)
                .mapToLong(i -> {
                    System.gc();
                    return runtime.totalMemory() - runtime.freeMemory();
                })
                .min()
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(Expiry.class)
    void oneFollowedInstanceCostsAtMostAKibibyte(Expiry expiry) {
        assertThat(instance(5_000).bytes()).isBetween(190, 210);
        World world = World.judged();
        Listed store = new Listed(
                expiry,
                number -> "registration/web/" + new Id(number * 31L, number),
                number -> Instances.value(instance(number)));
        Client client = world.client("a", store);
        world.pass(Duration.ofSeconds(1));
        long before = usedBytes();

        ServiceWatch watch = client.registry().watch("web");
        world.passUntil(() -> watch.view().instances().size() == COUNT);
        world.pass(Duration.ofSeconds(30));
        long each = (usedBytes() - before) / COUNT;

        System.out.println("heap per followed instance of 200 bytes, " + expiry + ": " + each + " bytes");
        assertThat(store.pages).isGreaterThan(2 * COUNT / PAGE);
        assertThat(watch.view().instances()).hasSize(COUNT).allMatch(RegisteredInstance::isPassing);
        assertThat(each).isBetween(1L, (long) BYTES_MAX);
    }

    @ParameterizedTest
    @EnumSource(Expiry.class)
    void oneFollowedElectionCostsAtMostAKibibyte(Expiry expiry) {
        World world = World.judged();
        Listed store = new Listed(
                expiry,
                number -> "election/nightly-report-of-tenant-" + number,
                number -> "http://10.0." + number / 256 + "." + number % 256 + ":8080/api");
        Client client = world.client("a", store);
        world.pass(Duration.ofSeconds(1));
        long before = usedBytes();

        ElectionsWatch watch = client.watchElections();
        world.passUntil(() -> watch.view().leaders().size() == COUNT);
        world.pass(Duration.ofSeconds(30));
        long each = (usedBytes() - before) / COUNT;

        System.out.println("heap per followed election, " + expiry + ": " + each + " bytes");
        assertThat(store.pages).isGreaterThan(2 * COUNT / PAGE);
        assertThat(watch.view().leaders()).hasSize(COUNT);
        assertThat(each).isBetween(1L, (long) BYTES_MAX);
    }
}
