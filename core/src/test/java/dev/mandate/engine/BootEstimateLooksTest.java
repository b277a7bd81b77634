package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Suspensions, seen by what the wall clock gains; to the nanosecond, with two readings that may be apart. */
class BootEstimateLooksTest {
    private static final long MILLI = 1_000_000L;
    private static final long BEGAN = 5_000_000_000L;
    private static final long WALL = 1_767_225_600_000L;

    private final BootEstimate first = BootEstimate.begin(BEGAN, WALL);

    /**
     * {@code elapsed} later by the monotonic clock, and {@code gained} more by the wall clock, both in milliseconds.
     */
    private static BootEstimate look(BootEstimate before, long elapsed, long gained) {
        long nanos = BEGAN + elapsed * MILLI;
        return before.look(nanos, WALL + elapsed + gained, nanos);
    }

    @Test
    void itBeginsWithTheMonotonicClock() {
        assertThat(first).isEqualTo(new BootEstimate(BEGAN, WALL * MILLI - BEGAN, 0));
        assertThat(first.nanos(BEGAN)).isEqualTo(BEGAN);
        assertThat(first.nanos(BEGAN + 7)).isEqualTo(BEGAN + 7);
    }

    @Test
    void clocksThatRunTogetherChangeNothing() {
        assertThat(look(first, 1_000, 0)).isSameAs(first);
        assertThat(look(first, 1_000, 3)).as("noise").isSameAs(first);
        assertThat(look(first, 1_000, -4)).as("noise, rounded").isSameAs(first);
    }

    @Test
    void whatTheWallClockGainsIsASuspension() {
        BootEstimate later = look(first, 1_000, 4);

        assertThat(later.asleepNanos()).isEqualTo(4 * MILLI);
        assertThat(later.changedNanos()).isEqualTo(BEGAN + 1_000 * MILLI);
        assertThat(later.aheadNanos()).isEqualTo(first.aheadNanos() + 4 * MILLI);
        assertThat(later.nanos(BEGAN + 2_000 * MILLI)).isEqualTo(BEGAN + 2_004 * MILLI);
    }

    @Test
    void suspensionsAddUp() {
        BootEstimate twice = look(look(first, 1_000, 60_000), 2_000, 65_000);

        assertThat(twice.asleepNanos()).isEqualTo(65_000 * MILLI);
    }

    /** A clock that was set back counts for nothing, and what it gains after that in full. */
    @Test
    void aWallClockThatIsSetBackHidesNoLaterSuspension() {
        BootEstimate back = look(first, 1_000, -3_600_000);
        assertThat(back.asleepNanos()).isZero();
        assertThat(back.aheadNanos()).isEqualTo(first.aheadNanos() - 3_600_000 * MILLI);
        assertThat(back.changedNanos()).isEqualTo(BEGAN + 1_000 * MILLI);

        assertThat(look(back, 2_000, -3_590_000).asleepNanos()).isEqualTo(10_000 * MILLI);
    }

    @Test
    void onlyALossOfMoreThanNoiseIsTakenForASettingBack() {
        assertThat(look(first, 1_000, -5).aheadNanos()).isEqualTo(first.aheadNanos() - 5 * MILLI);
    }

    /** A pause between the readings is no suspension: the least that the clocks allow counts. */
    @Test
    void readingsThatAreApartCountForTheLeastTheyAllow() {
        long before = BEGAN + 1_000 * MILLI;
        long after = BEGAN + 9_000 * MILLI;

        assertThat(first.look(before, WALL + 9_000, after)).isSameAs(first);
        assertThat(first.look(before, WALL + 1_000, after)).isSameAs(first);
        BootEstimate later = first.look(before, WALL + 19_000, after);
        assertThat(later.asleepNanos()).isEqualTo(10_000 * MILLI);
        assertThat(later.changedNanos()).isEqualTo(after);
    }

    /** Threads look at once: what an earlier look finds must not undo a later one. */
    @Test
    void anEarlierLookChangesNothing() {
        BootEstimate later = look(first, 1_000, 60_000);

        assertThat(later.look(BEGAN + 999 * MILLI, WALL + 999, BEGAN + 999 * MILLI))
                .isSameAs(later);
        assertThat(later.look(later.changedNanos() + 1, WALL + 1_000_000, later.changedNanos() + 1))
                .isNotSameAs(later);
    }
}
