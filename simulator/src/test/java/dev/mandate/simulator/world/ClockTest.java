package dev.mandate.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClockTest {
    private static final long NOW = 121_000_000_000L;

    /**
     * A machine that wants to be woken at once says so with the smallest number there is: a clock that starts above
     * zero once made that "never".
     */
    @ParameterizedTest
    @ValueSource(longs = {-649_204_000_000_000L, 0, 649_204_000_000_000L})
    void whatIsLongDueIsDueNow(long monotonicStart) {
        Clock clock = new Clock(1.01, monotonicStart, 0, false);

        assertThat(clock.when(Long.MIN_VALUE, NOW)).isEqualTo(NOW);
        assertThat(clock.when(clock.nanos(NOW) - 1, NOW)).isEqualTo(NOW);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.9, 1, 1.1})
    void whatIsNotYetDueIsDueAsSoonAsTheClockShowsIt(double rate) {
        Clock clock = new Clock(rate, 649_204_000_000_000L, 0, false);
        long wanted = clock.nanos(NOW) + 1_000_003;

        long at = clock.when(wanted, NOW);

        assertThat(clock.nanos(at)).isGreaterThanOrEqualTo(wanted);
        assertThat(clock.nanos(at - 1)).isLessThan(wanted);
    }
}
