package dev.mandate.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.spi.Finding;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The small tools: back-off, bounded maps, choices of a URL, findings, threads. */
class StoreToolsTest {
    private static void isBetween(long nanos, long leastMillis, long mostMillis) {
        assertThat(nanos)
                .isBetween(TimeUnit.MILLISECONDS.toNanos(leastMillis), TimeUnit.MILLISECONDS.toNanos(mostMillis));
    }

    @Test
    void pausesDoubleUpToTheLongestAndBeginAnew() {
        BackOff backOff = new BackOff(Duration.ofMillis(100), Duration.ofMillis(300));

        isBetween(backOff.nextNanos(), 50, 100);
        isBetween(backOff.nextNanos(), 100, 200);
        isBetween(backOff.nextNanos(), 150, 300);
        isBetween(backOff.nextNanos(), 150, 300);
        isBetween(backOff.nextNanos(Duration.ofSeconds(60)), 150, 600);
        backOff.reset();
        isBetween(backOff.nextNanos(), 50, 100);
    }

    @Test
    void pausesGrowFurtherWhereTheSetupHasToChange() {
        BackOff backOff = new BackOff(Duration.ofMillis(100), Duration.ofMillis(300));
        Duration longer = Duration.ofMillis(1_000);
        for (int i = 0; i < 5; i++) {
            backOff.nextNanos(longer);
        }

        isBetween(backOff.nextNanos(longer), 500, 1_000);
        isBetween(backOff.nextNanos(), 150, 300);
    }

    @Test
    void aBoundedMapForgetsWhatWasUsedLeastRecently() {
        BoundedMap<String, Integer> map = new BoundedMap<>(2);
        map.put("a", 1);
        map.put("b", 2);
        assertThat(map.get("a")).isEqualTo(1);

        map.put("c", 3);

        assertThat(map).containsOnlyKeys("a", "c");
    }

    private static StoreUrl url(String query) {
        return StoreUrl.parse("store://host" + query);
    }

    @Test
    void theFirstChoiceIsTheDefaultAndOthersAreRefused() {
        assertThat(UrlChoices.of(url(""), "mode", "fast", "safe")).isEqualTo("fast");
        assertThat(UrlChoices.of(url("?mode=safe"), "mode", "fast", "safe")).isEqualTo("safe");
        assertThat(UrlChoices.isRaw(url(""))).isFalse();
        assertThat(UrlChoices.isRaw(url("?format=raw"))).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> UrlChoices.isRaw(url("?format=xml")))
                .withMessage("the parameter 'format' of the store URL is 'xml'; write json or raw");
    }

    @Test
    void aClusterOfTwoIsWorseThanOne() {
        assertThat(ClusterFindings.size(1, "member")).isEqualTo(Finding.ok("cluster", "1 member, of which 0 may fail"));
        assertThat(ClusterFindings.size(2, "member").severity()).isEqualTo(Finding.Severity.WARNING);
        assertThat(ClusterFindings.size(5, "server"))
                .isEqualTo(Finding.ok("cluster", "5 servers, of which 2 may fail"));
    }

    @Test
    void theOnlyKeyIsWritableOrSaysWhatItTakes() {
        KeyTemplate keys = KeyTemplate.of("MyApp/leader");

        assertThat(ClusterFindings.onlyKey(keys, null, Optional.of("w")).severity())
                .isEqualTo(Finding.Severity.OK);
        assertThat(ClusterFindings.onlyKey(
                        keys, new CompletionException(new IllegalStateException("denied")), Optional.of("write")))
                .isEqualTo(Finding.error("rights", "denied (it takes: write)"));
        assertThat(ClusterFindings.onlyKey(keys, new IllegalStateException("denied"), Optional.empty()))
                .isEqualTo(Finding.error("rights", "denied"));
    }

    @Test
    void whatIsNoRecordIsNotFound() {
        LeaderRecord record = LeaderRecord.proposal(
                "c", dev.mandate.spi.Id.NONE, dev.mandate.spi.Id.NONE, "v", Duration.ofSeconds(10), 0);

        assertThat(RecordJson.find(RecordJson.write(record))).contains(record);
        assertThat(RecordJson.find("")).isEmpty();
        assertThat(RecordJson.find("10.0.0.7:8080")).isEmpty();
        assertThat(RecordJson.find("{\"other\":1}")).isEmpty();
    }

    @Test
    void threadsAreDaemonsWithNames() {
        CompletableFuture<String> name = new CompletableFuture<>();
        CompletableFuture<String> worker = new CompletableFuture<>();
        try (StoreThreads threads = new StoreThreads("mandate-test-", 1)) {
            threads.later(() -> name.complete(Thread.currentThread().getName() + daemon()), 0);
            threads.workers()
                    .execute(() -> worker.complete(Thread.currentThread().getName() + daemon()));

            assertThat(name).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("mandate-test-timer-1 true");
            assertThat(worker).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("mandate-test-worker-1 true");
            threads.close();
            assertThat(threads.timed(() -> {}, 0)).isNull();
        }
    }

    private static String daemon() {
        return " " + Thread.currentThread().isDaemon();
    }
}
