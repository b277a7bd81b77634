package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The window of one grant: stop after 7 s, end after 9 s, on whichever clock is ahead. */
class LeaseWindowTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long SENT = 100 * SECOND;
    private static final long WALL = 1_000_000L;
    private static final LeaseWindow WINDOW = new LeaseWindow(SENT, WALL, 7 * SECOND, 9 * SECOND);

    private static Now at(long monotonic, long wallMillis) {
        return new Now(SENT + monotonic, WALL + wallMillis);
    }

    @Test
    void theMonotonicClockEndsItToTheNanosecond() {
        assertThat(WINDOW.isStopPassed(at(7 * SECOND - 1, 0))).isFalse();
        assertThat(WINDOW.isStopPassed(at(7 * SECOND, 0))).isTrue();
        assertThat(WINDOW.isEndPassed(at(9 * SECOND - 1, 0))).isFalse();
        assertThat(WINDOW.isEndPassed(at(9 * SECOND, 0))).isTrue();
    }

    /** Two truncated readings hide up to a millisecond, which is added. */
    @Test
    void theWallClockEndsItAMillisecondEarly() {
        assertThat(WINDOW.isStopPassed(at(0, 6_998))).isFalse();
        assertThat(WINDOW.isStopPassed(at(0, 6_999))).isTrue();
        assertThat(WINDOW.isEndPassed(at(0, 8_998))).isFalse();
        assertThat(WINDOW.isEndPassed(at(0, 8_999))).isTrue();
    }

    @Test
    void aWallClockThatStoodOrWentBackDecidesNothing() {
        for (long wall : new long[] {0, -1, -3_600_000, Long.MIN_VALUE / 2}) {
            assertThat(WINDOW.isStopPassed(at(7 * SECOND - 1, wall))).isFalse();
            assertThat(WINDOW.isStopPassed(at(7 * SECOND, wall))).isTrue();
            assertThat(WINDOW.remainingNanos(at(3 * SECOND, wall))).isEqualTo(4 * SECOND);
        }
    }

    /** A wall clock that is set to the end of time is past, not wrapped around. */
    @Test
    void aWallClockFarAheadEndsIt() {
        for (long wall : new long[] {
            Long.MAX_VALUE / 1_000_000,
            Long.MAX_VALUE / 1_000_000 - 1,
            Long.MAX_VALUE / 1_000_000 - 2,
            Long.MAX_VALUE / 2
        }) {
            assertThat(WINDOW.isEndPassed(at(0, wall))).isTrue();
            assertThat(WINDOW.remainingNanos(at(0, wall))).isZero();
            assertThat(WINDOW.endRemainingNanos(at(0, wall))).isZero();
        }
    }

    @Test
    void whatRemainsIsNeverNegative() {
        assertThat(WINDOW.remainingNanos(at(0, 0))).isEqualTo(7 * SECOND);
        assertThat(WINDOW.remainingNanos(at(2 * SECOND, 0))).isEqualTo(5 * SECOND);
        assertThat(WINDOW.remainingNanos(at(2 * SECOND, 3_999))).isEqualTo(3 * SECOND);
        assertThat(WINDOW.remainingNanos(at(8 * SECOND, 0))).isZero();
        assertThat(WINDOW.endRemainingNanos(at(8 * SECOND, 0))).isEqualTo(SECOND);
        assertThat(WINDOW.endRemainingNanos(at(0, 7_999))).isEqualTo(SECOND);
        assertThat(WINDOW.endRemainingNanos(at(10 * SECOND, 0))).isZero();
    }

    @Test
    void itSaysWhenItEndsOnTheMonotonicClock() {
        assertThat(WINDOW.stopAtNanos()).isEqualTo(107 * SECOND);
        assertThat(WINDOW.endAtNanos()).isEqualTo(109 * SECOND);
        assertThat(WINDOW.drainNanos()).isEqualTo(2 * SECOND);
    }

    /** Who is woken then finds it passed at once, however the milliseconds of the wall clock lie: it need not try again and again. */
    @Test
    void whenItSaysThatItEndsItHasEnded() {
        for (long suspended :
                new long[] {0, 300_000, 2 * SECOND, 6 * SECOND + 998_400_000, 7 * SECOND, 3_600 * SECOND}) {
            for (long phase = 0; phase < 1_000_000; phase += 123_457) {
                for (long ran = 0; ran < SECOND; ran += 77_777_777) {
                    long wokenAt = WINDOW.stopAtNanos(at(ran, (phase + ran + suspended) / 1_000_000)) - SENT;

                    assertThat(WINDOW.isStopPassed(at(wokenAt, (phase + wokenAt + suspended) / 1_000_000)))
                            .isTrue();
                    assertThat(wokenAt).isLessThanOrEqualTo(Math.max(ran, 7 * SECOND - suspended + 1_000_000));
                }
            }
        }
        assertThat(WINDOW.stopAtNanos(at(SECOND, -5))).isEqualTo(107 * SECOND);
        assertThat(WINDOW.stopAtNanos(at(SECOND, Long.MAX_VALUE / 2))).isEqualTo(101 * SECOND);
    }

    /** Monotonic clocks have no meaning but differences: one that wraps around is no exception. */
    @Test
    void aMonotonicClockMayWrapAround() {
        long sent = Long.MAX_VALUE - SECOND;
        LeaseWindow window = new LeaseWindow(sent, WALL, 7 * SECOND, 9 * SECOND);
        Now wrapped = new Now(sent + 6 * SECOND, WALL);

        assertThat(window.isStopPassed(wrapped)).isFalse();
        assertThat(window.remainingNanos(wrapped)).isEqualTo(SECOND);
        assertThat(window.isStopPassed(new Now(wrapped.monotonicNanos() + SECOND, WALL)))
                .isTrue();
    }
}
