package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LockDelaysTest {
    private static final RecordKey KEY = RecordKey.election("e");
    private static final Duration DELAY = Duration.ofSeconds(15);

    private final AtomicLong nanos = new AtomicLong();
    private final LockDelays delays = new LockDelays(DELAY, nanos::get);

    private Duration askedUntil(Duration end, long index) {
        int refusals = 0;
        while (nanos.get() < end.toNanos()) {
            Duration wait = delays.refused(KEY, index);
            assertThat(wait).isGreaterThan(Duration.ZERO);
            nanos.addAndGet(wait.toNanos());
            refusals++;
        }
        assertThat(refusals).as("refusals until %s", end).isLessThan(40);
        return Duration.ofNanos(nanos.get());
    }

    /** Whoever was there when it began asks again just after its end. */
    @Test
    void theLastWaitEndsWithTheDelay() {
        assertThat(askedUntil(DELAY, 7)).isBetween(DELAY, DELAY.plusMillis(50));
    }

    /** Whoever came late finds out before a whole delay of its own has passed. */
    @Test
    void itIsAskedAFewTimesBefore() {
        assertThat(delays.refused(KEY, 7)).isEqualTo(Duration.ofMillis(1_500));
    }

    /** The delay is that of the session that ended, which may have had other settings. */
    @Test
    void aLongerDelayOfSomebodyElseIsWaitedForEverMoreSeldom() {
        askedUntil(DELAY, 7);

        Duration end = askedUntil(Duration.ofSeconds(60), 7);

        assertThat(end).isBetween(Duration.ofSeconds(60), Duration.ofMillis(61_500));
    }

    @Test
    void anotherVacancyBeginsAnew() {
        askedUntil(DELAY.multipliedBy(2), 7);

        assertThat(delays.refused(KEY, 8)).isEqualTo(Duration.ofMillis(1_500));
    }

    /** Without a delay of our own, others may have one. */
    @Test
    void noDelayOfOursIsNoReasonToSpin() {
        LockDelays none = new LockDelays(Duration.ZERO, nanos::get);

        assertThat(none.refused(KEY, 1)).isEqualTo(Duration.ofMillis(20));
        nanos.addAndGet(Duration.ofMillis(20).toNanos());
        assertThat(none.refused(KEY, 1)).isEqualTo(Duration.ofMillis(100));
        assertThat(none.refused(KEY, 1)).isEqualTo(Duration.ofMillis(200));
    }

    /** The next one to be refused begins anew, though the key stands at the same index. */
    @Test
    void whatIsOverIsForgotten() {
        askedUntil(DELAY.multipliedBy(2), 7);

        delays.over(KEY);

        assertThat(delays.refused(KEY, 7)).isEqualTo(Duration.ofMillis(1_500));
    }

    /** At the reckoned end, not a step before it. */
    @Test
    void theEndIsReckonedToTheMillisecond() {
        assertThat(delays.refused(KEY, 7)).isEqualTo(Duration.ofMillis(1_500));
        nanos.addAndGet(Duration.ofMillis(15_000).toNanos());
        assertThat(delays.refused(KEY, 7)).isEqualTo(Duration.ofMillis(20));
        nanos.addAndGet(Duration.ofMillis(20).toNanos());
        assertThat(delays.refused(KEY, 7)).isEqualTo(Duration.ofMillis(100));
    }

    /** As many candidates as there are may meet a delay for years: the waits stay within their bound. */
    @Test
    void noNumberOfRefusalsMakesAWaitLongerThanAStep() {
        nanos.set(DELAY.multipliedBy(2).toNanos());
        delays.refused(KEY, 7);
        nanos.addAndGet(DELAY.multipliedBy(2).toNanos());
        Duration wait = Duration.ZERO;
        for (int i = 0; i < 200; i++) {
            wait = delays.refused(KEY, 7);
            assertThat(wait).isBetween(Duration.ofMillis(100), Duration.ofMillis(1_500));
        }
        assertThat(wait).isEqualTo(Duration.ofMillis(1_500));
    }

    @Test
    void theEldestOfTenThousandIsForgotten() {
        delays.refused(KEY, 7);
        nanos.addAndGet(DELAY.multipliedBy(2).toNanos());
        for (int i = 1; i < 10_000; i++) {
            delays.refused(RecordKey.election("e" + i), 7);
        }
        assertThat(delays.refused(KEY, 7)).as("known still").isEqualTo(Duration.ofMillis(100));

        // Now the last that was used, so that it takes as many others.
        for (int i = 1; i <= 10_000; i++) {
            delays.refused(RecordKey.election("f" + i), 7);
        }
        assertThat(delays.refused(KEY, 7)).as("begun anew").isEqualTo(Duration.ofMillis(1_500));
    }
}
