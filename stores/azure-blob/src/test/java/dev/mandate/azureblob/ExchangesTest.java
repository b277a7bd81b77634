package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;
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
}
