package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {
    @Test
    void looksAgainUntilItHolds() {
        AtomicInteger looks = new AtomicInteger();

        Await.until("the fifth look", Duration.ofSeconds(20), () -> looks.incrementAndGet() == 5);

        assertThat(looks).hasValue(5);
    }

    @Test
    void returnsWhatItFound() {
        assertThat(Await.<String>value("a word", Duration.ofSeconds(20), () -> Optional.of("found")))
                .isEqualTo("found");
    }

    @Test
    void looksOnceEvenWithoutTime() {
        Await.until("what holds", Duration.ZERO, () -> true);

        assertThatThrownBy(() -> Await.until("what never holds", Duration.ofMillis(30), () -> false))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("what never holds", "30 ms");
    }

    @Test
    void failsAtOnceIfTheLookFails() {
        assertThatThrownBy(() -> Await.until("trouble", Duration.ofDays(1), () -> {
                    throw new IOException("gone");
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("trouble", "gone");
    }

    @Test
    void anInterruptedWaitFails() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> Await.until("a day", Duration.ofDays(1), () -> false))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("interrupted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void timePasses() {
        long start = System.nanoTime();

        Await.passing(Duration.ofMillis(15));

        assertThat(System.nanoTime() - start)
                .isGreaterThanOrEqualTo(Duration.ofMillis(15).toNanos());
    }
}
