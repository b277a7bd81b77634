package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Whoever writes to a connection waits a moment for what is about to come. */
class CorkTest {
    private static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    @Test
    void whoeverWritesWaitsUntilItIsOver() {
        Cork cork = new Cork();
        long before = System.nanoTime();

        cork.hold();
        cork.hold();
        cork.await();

        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(HOLD_NANOS);
    }

    @Test
    void anInterruptedThreadNeedNotWait() {
        Cork cork = new Cork();
        cork.hold();
        Thread.currentThread().interrupt();

        cork.await();

        assertThat(Thread.interrupted()).isTrue();
    }
}
