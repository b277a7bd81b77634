package dev.mandate.peers.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OrderTimingTest {
    @Test
    void aStepIsAFiftiethOfTheLease() {
        OrderTiming timing = OrderTiming.of(Duration.ofSeconds(3));

        assertThat(timing.stepNanos()).isEqualTo(60_000_000);
        assertThat(timing.hopNanos()).isEqualTo(60_000_000);
        assertThat(timing.requestTimeoutNanos()).isEqualTo(120_000_000);
        assertThat(timing.lapNanos()).isEqualTo(180_000_000);
        assertThat(timing.coordinatorNanos()).isEqualTo(300_000_000);
        assertThat(timing.placeNanos()).isEqualTo(480_000_000);
    }

    /** Whoever waits for all that may be waited for still learns its place before it would try without one. */
    @Test
    void aSecondRoundEndsBeforeThePlaceIsGivenUp() {
        OrderTiming timing = new OrderTiming(1_000);

        assertThat(timing.requestTimeoutNanos()).isLessThan(timing.coordinatorNanos());
        assertThat(timing.coordinatorNanos() + timing.requestTimeoutNanos()).isLessThan(timing.placeNanos());
        assertThat(2 * timing.lapNanos()).isLessThan(timing.placeNanos());
    }

    @Test
    void refusesStepsThatAreNone() {
        assertThatThrownBy(() -> new OrderTiming(0)).hasMessageContaining("a step is 0 ns");
        assertThatThrownBy(() -> OrderTiming.of(Duration.ofDays(51))).hasMessageContaining("between 1 ns and a day");
        assertThat(OrderTiming.of(Duration.ofNanos(1)).stepNanos()).isEqualTo(1);
    }
}
