package dev.mandate.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Basis;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ForeignLeasesTest {
    private static final RecordKey KEY = RecordKey.election("jobs");

    private record At(String lease) implements Basis, Liveness {}

    private final List<String> requests = new ArrayList<>();
    private CompletionStage<Optional<Duration>> said =
            CompletableFuture.completedStage(Optional.of(Duration.ofSeconds(30)));
    private final ForeignLeases leases =
            new ForeignLeases(held -> held.basis() instanceof At at ? at.lease() : "", (lease, call) -> {
                requests.add(lease);
                return said;
            });

    private Optional<Duration> of(String lease) {
        return leases.of(lease, CallContext.within(Duration.ofSeconds(20)))
                .toCompletableFuture()
                .join();
    }

    @Test
    void aLeaseIsAskedForOnce() {
        assertThat(leases.known("a")).isEmpty();
        assertThat(of("a")).contains(Duration.ofSeconds(30));
        said = CompletableFuture.completedStage(Optional.of(Duration.ofSeconds(40)));

        assertThat(of("a")).contains(Duration.ofSeconds(30));
        assertThat(leases.known("a")).contains(Duration.ofSeconds(30));
        assertThat(leases.known("b")).isEmpty();
        assertThat(requests).containsExactly("a");
    }

    @Test
    void whatIsNotKnownForNowIsAskedForAgainAndWhatNeverWillBeIsNot() {
        said = CompletableFuture.failedStage(new IllegalStateException("no leader"));
        assertThat(of("a")).isEmpty();
        said = CompletableFuture.completedStage(Optional.empty());
        assertThat(of("a")).isEmpty();
        assertThat(of("a")).isEmpty();

        assertThat(requests).containsExactly("a", "a");
    }

    @Test
    void whatHasNoIdIsNotAskedFor() {
        assertThat(of("")).isEmpty();
        assertThat(requests).isEmpty();
    }

    /** Leases come and go for years. */
    @Test
    void theOneOfAThousandThatWasUsedLeastRecentlyIsForgotten() {
        for (int i = 1; i <= 1_000; i++) {
            of("" + i);
        }
        assertThat(leases.known("1")).isPresent();

        of("1001");

        assertThat(leases.known("2")).isEmpty();
        assertThat(leases.known("1")).isPresent();
        assertThat(leases.known("3")).isPresent();
        assertThat(leases.known("1001")).isPresent();
    }

    private Observation completed(Observation seen) {
        return leases.completed(seen, CallContext.within(Duration.ofSeconds(20)))
                .toCompletableFuture()
                .join();
    }

    @Test
    void onlyAForeignHolderWhoseLeaseIsNotKnownIsCompleted() {
        At at = new At("a");
        Observation.Held foreign = Observation.foreign(KEY, at, at, 7, "somebody", null);

        assertThat(completed(foreign)).isInstanceOfSatisfying(Observation.Held.class, held -> {
            assertThat(held.lease()).contains(Duration.ofSeconds(30));
            assertThat(held.basis()).isEqualTo(at);
            assertThat(held.term()).isEqualTo(7);
            assertThat(held.shown()).isEqualTo("somebody");
        });
        LeaderRecord record = LeaderRecord.proposal("c", Id.NONE, Id.NONE, "v", Duration.ofSeconds(10), 0);
        for (Observation whole : List.of(
                Observation.vacant(KEY, at),
                Observation.held(KEY, at, at, 7, record),
                Observation.foreign(KEY, at, at, 7, "somebody", Duration.ofSeconds(5)))) {
            assertThat(completed(whole)).isSameAs(whole);
        }
        assertThat(requests).containsExactly("a");
    }
}
