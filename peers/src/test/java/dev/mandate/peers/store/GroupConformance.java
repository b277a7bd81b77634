package dev.mandate.peers.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Deviation;
import dev.mandate.testkit.StoreClient;
import dev.mandate.testkit.StoreConformance;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The suite of all stores, on a group of live members; clients are these members in turn, and a guest now and then. */
abstract class GroupConformance extends StoreConformance {
    private static final AtomicInteger OPENED = new AtomicInteger();

    /** One for all cases of a class. */
    abstract LiveGroup group();

    @Override
    protected ElectionStore open() {
        int members = group().size();
        int next = OPENED.getAndIncrement() % (members + 1);
        return LiveGroup.open(next == members && isGuestWelcome() ? group().guest() : group().member(next % members));
    }

    /** A guest is told of no changes, so that its traits differ. */
    private boolean isGuestWelcome() {
        return false;
    }

    @Override
    @Test
    @Deviation("voters forget what is vacant after two maxLease: until then it reads vacant at the same basis")
    protected void anErasedKeyReadsAsNeverHeld() {
        Duration lease = Duration.ofSeconds(10);
        try (StoreClient a = new StoreClient(open(), lease);
                StoreClient b = new StoreClient(open(), lease)) {
            RecordKey key = StoreClient.key("erased");
            a.release(a.lead(key));
            Observation.Vacant left = StoreClient.vacant(b.read(key));

            WriteOutcome outcome = a.erase(left);

            assertThat(((WriteOutcome.Written) outcome).now().basis()).isEqualTo(left.basis());
            assertThat(b.read(key).basis()).isEqualTo(left.basis());
            StoreClient.written(b.acquire(key, left));
        }
    }

    @Override
    protected Duration shortestLease() {
        return Duration.ofSeconds(1);
    }

    @Override
    protected Optional<Callable<ElectionStore>> broken() {
        return Optional.of(() -> LiveGroup.open(group().member(0) + "&bind=127.0.0.1:1"));
    }

    @Override
    protected Map<String, List<String>> badUrls() {
        return Map.of(
                "peers:a:1", List.of("peers://a:7401"),
                "bully://a", List.of("'a'", "port"),
                "ring://a:1,a:1", List.of("a:1", "twice"),
                "peers://a:1?self=b:1&state=/x", List.of("self", "b:1", "a:1"),
                "peers://127.0.0.1:1?self=127.0.0.1:1", List.of("state=DIR"),
                "peers://a:1?lease=1s", List.of("no secret", "a:1", "secretFile"),
                "ring://127.0.0.1:1?preempt=true", List.of("preempt", "bully"),
                "peers://127.0.0.1:1?maxLease=soon", List.of("maxLease", "soon"));
    }
}
