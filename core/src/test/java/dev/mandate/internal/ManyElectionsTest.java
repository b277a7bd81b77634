package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leadership;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ten thousand elections held by one client: what they cost. */
@Isolated("it counts the threads and the bytes of the JVM")
@Tag("long")
class ManyElectionsTest {
    private static final int COUNT = 10_000;
    private static final int BYTES_MAX = 2_048;

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

    /** What the model of the store keeps for a key is there before: a real client has that elsewhere. */
    @ParameterizedTest
    @EnumSource(LeaseScope.class)
    void oneHeldElectionCostsAtMostTwoKibibytesAndNoThread(LeaseScope scope) {
        StoreTraits traits = VirtualStore.traits(Expiry.STORE_REMOVES, scope);
        World world = new World(traits);
        holdAndLeave(world, COUNT - 100);
        Client client = world.client("a");
        world.win(client.election("warm"));
        List<Leadership> held = new ArrayList<>(COUNT);
        long before = usedBytes();
        int threads = Thread.getAllStackTraces().size();

        List<CompletableFuture<Leadership>> stages = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            stages.add(client.election("election-" + i)
                    .campaignAsync("10.0.0.7:8080")
                    .toCompletableFuture());
        }
        world.passUntil(() -> stages.stream().allMatch(CompletableFuture::isDone));
        stages.forEach(stage -> held.add(stage.join()));
        stages.clear();
        world.pass(Duration.ofSeconds(40));
        long each = (usedBytes() - before) / COUNT;

        System.out.println("heap per held election, lease per " + scope + ": " + each + " bytes");
        assertThat(held).hasSize(COUNT).allMatch(Leadership::isValid);
        assertThat(each).isBetween(1L, (long) BYTES_MAX);
        assertThat(Thread.getAllStackTraces().size()).isLessThanOrEqualTo(threads + 2);
    }

    private static void holdAndLeave(World world, int count) {
        Client other = world.client("b", world.store.another());
        for (int i = 0; i < count; i++) {
            other.election("election-" + i).campaignAsync("v").thenAccept(Leadership::close);
        }
        world.pass(Duration.ofSeconds(5));
        other.close();
    }

    /**
     * One renewal of the session per third of a lease, and one listing per record check interval, or up to a tenth
     * sooner, however many are held.
     */
    @ParameterizedTest
    @EnumSource(value = LeaseScope.class, names = "SESSION")
    void whatIsHeldUnderOneSessionIsRenewedTogether(LeaseScope scope) {
        World world = new World(VirtualStore.traits(Expiry.STORE_REMOVES, scope));
        Client client = world.client("a");
        List<CompletableFuture<Leadership>> stages = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            stages.add(client.election("election-" + i).campaignAsync("v").toCompletableFuture());
        }
        world.passUntil(() -> stages.stream().allMatch(CompletableFuture::isDone));
        world.pass(Duration.ofSeconds(1));
        var before = new java.util.HashMap<>(world.store.requests);

        world.pass(Duration.ofSeconds(300));

        var after = new java.util.HashMap<>(world.store.requests);
        after.replaceAll((what, count) -> count - before.getOrDefault(what, 0));
        after.values().removeIf(count -> count == 0);
        assertThat(after).containsOnlyKeys("renew", "list");
        assertThat(after.get("renew")).isLessThanOrEqualTo(101);
        assertThat(after.get("list")).isLessThanOrEqualTo(12 * 5);
    }
}
