package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The retry spacing is 250 ms, the poll 1.25 s, and the budget eight retries in a lease of 10 s. */
class RetriesTest {
    private static final long POLL = Rig.TIMING.pollIntervalNanos();
    private static final long START = -5_000_000_000_000L;

    private final Retries retries = new Retries(Rig.TIMING, new SteadyEntropy());

    private long pauseMillis(int failures, long nowNanos) {
        return Duration.ofNanos(retries.pauseNanos(failures, POLL, nowNanos)).toMillis();
    }

    @Test
    void pausesDoubleFromTheRetrySpacingToWhatIsUsual() {
        assertThat(IntStream.rangeClosed(1, 6).mapToLong(failures -> pauseMillis(failures, START)))
                .containsExactly(250L, 500L, 1_000L, 1_250L, 1_250L, 1_250L);
    }

    @Test
    void noJitterComesBelowTheRetrySpacing() {
        Retries jittered = new Retries(Rig.TIMING, new SeededEntropy(1));

        assertThat(IntStream.range(0, 1_000).mapToLong(i -> jittered.pauseNanos(1, POLL, START + i * 10_000_000_000L)))
                .allMatch(pause -> pause >= Rig.TIMING.retryIntervalNanos())
                .anyMatch(pause -> pause > Rig.TIMING.retryIntervalNanos());
    }

    @Test
    void whatIsRetriedAfterTheBudgetIsSpentWaitsAsLongAsUsual() {
        for (int i = 0; i < Rig.TIMING.retriesPerLease(); i++) {
            assertThat(pauseMillis(1, START)).isEqualTo(250);
        }

        assertThat(pauseMillis(1, START)).isEqualTo(1_250);
    }

    @Test
    void renewalsTakeFromTheBudgetAndOweItNothing() {
        for (int i = 0; i < 100; i++) {
            retries.renews(START);
        }
        assertThat(pauseMillis(1, START)).isEqualTo(1_250);

        long later = START + Rig.L.toNanos();

        assertThat(IntStream.range(0, 9).mapToLong(i -> pauseMillis(1, later)).filter(pause -> pause == 250))
                .hasSize(8);
    }

    @Test
    void renewalsGiveNothingBackThatWasReserved() {
        for (int i = 0; i < 100; i++) {
            retries.renews(START);
        }
        long reserved = retries.soonestNanos(5 * POLL, START);

        retries.renews(START);

        assertThat(retries.soonestNanos(5 * POLL, START)).isGreaterThan(reserved);
    }

    @Test
    void theBudgetIsFullAgainALeaseLater() {
        for (int i = 0; i < 100; i++) {
            pauseMillis(1, START);
        }

        long later = START + Rig.L.toNanos();

        assertThat(IntStream.range(0, 9).mapToLong(i -> pauseMillis(1, later)).filter(pause -> pause == 250))
                .hasSize(8);
    }
}
