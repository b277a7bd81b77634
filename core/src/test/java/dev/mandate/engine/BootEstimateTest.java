package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BootEstimateTest {
    private static final long SECOND = 1_000_000_000L;

    private static BootEstimate look(BootEstimate before, long monotonicNanos, long wallMillis) {
        return before.look(monotonicNanos, wallMillis, monotonicNanos);
    }

    /** Clocks that tick coarsely show the same instant before and after a suspension, as often as they are read. */
    @Test
    void aSuspensionCountsThoughTheMonotonicClockHasNotMovedSince() {
        BootEstimate estimate = BootEstimate.begin(0, 100_000);
        estimate = look(estimate, SECOND, 41_000);
        estimate = look(estimate, SECOND, 46_000);
        assertThat(estimate.nanos(SECOND)).isEqualTo(6 * SECOND);

        estimate = look(estimate, SECOND, 51_000);

        assertThat(estimate.nanos(SECOND)).isEqualTo(11 * SECOND);
    }

    /** The wall clock that it shows may be older than a step that is known. */
    @Test
    void aLookFromBeforeTheNewestChangeSaysNothing() {
        BootEstimate estimate = look(BootEstimate.begin(0, 100_000), 2 * SECOND, 42_000);

        assertThat(look(estimate, SECOND, 101_000)).isSameAs(estimate);
    }
}
