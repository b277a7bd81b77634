package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.HangingFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class ExchangesTest {
    private static final int WORKERS = 2;

    /** A process that was paused may get to it before its timers do. */
    @Test
    void nothingIsSentOnceItsCallIsOver() throws Exception {
        AtomicLong nanos = new AtomicLong();
        AtomicInteger sent = new AtomicInteger();
        CallContext call = CallContext.until(Duration.ofMinutes(1).toNanos(), nanos::get);
        CountDownLatch busy = new CountDownLatch(WORKERS);
        CountDownLatch paused = new CountDownLatch(1);
        AzureBlobSettings settings = AzureBlobUrl.settings(StoreUrl.parse(Azurite.url(1)));
        try (Exchanges exchanges = new Exchanges(settings)) {
            for (int i = 0; i < WORKERS; i++) {
                exchanges.workers().execute(() -> {
                    busy.countDown();
                    try {
                        paused.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            busy.await();
            CompletableFuture<Integer> answer = exchanges.send(
                    "renewing",
                    true,
                    call,
                    () -> Mono.fromCallable(sent::incrementAndGet),
                    number -> number,
                    refused -> null);

            nanos.set(Duration.ofMinutes(2).toNanos());
            paused.countDown();

            assertThatThrownBy(answer::join).hasMessageContaining("no answer in time");
            assertThat(sent).hasValue(0);
        }
    }

    private static <T> CompletableFuture<T> send(Exchanges exchanges, String what, Mono<T> request) {
        return exchanges.send(
                what,
                true,
                CallContext.within(Duration.ofMinutes(2)),
                () -> request,
                answer -> answer,
                refused -> null);
    }

    /** Requests that the service refuses read the file again; those that it takes don't wait for them. */
    @Test
    void aFileThatHangsHoldsUpOnlyWhatWasRefused() throws Exception {
        Path file = Files.secret("c2VjcmV0");
        AzureBlobSettings settings =
                AzureBlobUrl.settings(StoreUrl.parse("azblob://account/leases?accountKeyFile=" + file));
        Mono<String> refusal = Mono.error(Refusal.of(403, "AuthenticationFailed"));
        try (HangingFile hanging = new HangingFile(file);
                Exchanges exchanges = new Exchanges(settings)) {
            hanging.begin();
            CompletableFuture<String> first = send(exchanges, "listing", refusal);
            CompletableFuture<String> second = send(exchanges, "listing", refusal);
            Await.until("the file to be read", Duration.ofSeconds(30), hanging::isRead);

            assertThat(send(exchanges, "renewing", Mono.just("well")))
                    .succeedsWithin(Duration.ofSeconds(30))
                    .isEqualTo("well");

            assertThat(first).isNotDone();
            hanging.end("c2VjcmV0");
            assertThat(List.of(first, second))
                    .allSatisfy(
                            refused -> assertThatThrownBy(refused::join).hasCauseInstanceOf(StoreSetupException.class));
        }
    }
}
