package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The window of one grant: stop after 7 s, end after 9 s, on the clock that is ahead. */
class LeaseWindowTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long SENT = 100 * SECOND;
    private static final long WALL = 1_000_000L;
    private static final long BOOT = 500 * SECOND;
    private static final long COARSE = LeaseWindow.BOOT_COARSE_NANOS;
    private static final LeaseWindow WINDOW = new LeaseWindow(new Now(SENT, BOOT, WALL), 7 * SECOND, 9 * SECOND);

    private static Now at(long monotonic, long wallMillis) {
        return at(monotonic, monotonic, wallMillis);
    }

    private static Now at(long monotonic, long boot, long wallMillis) {
        return new Now(SENT + monotonic, BOOT + boot, WALL + wallMillis);
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

    /**
     * A second after the send the wall clock is set back; a second later the machine is suspended for as long as a
     * lease and a half.
     */
    @Test
    void aSuspensionEndsItHoweverTheWallClockWasSet() {
        for (long wall : new long[] {17_000, 0, -43_000, -3_600_000, Long.MIN_VALUE / 2}) {
            assertThat(WINDOW.isStopPassed(at(2 * SECOND, 17 * SECOND, wall))).isTrue();
            assertThat(WINDOW.isEndPassed(at(2 * SECOND, 17 * SECOND, wall))).isTrue();
            assertThat(WINDOW.remainingNanos(at(2 * SECOND, 17 * SECOND, wall))).isZero();
        }
    }

    /** Two truncated readings hide up to a hundredth of a second, which is added. */
    @Test
    void aSuspensionCountsForAHundredthOfASecondMore() {
        assertThat(WINDOW.isStopPassed(at(SECOND, 7 * SECOND - COARSE - 1, 0))).isFalse();
        assertThat(WINDOW.isStopPassed(at(SECOND, 7 * SECOND - COARSE, 0))).isTrue();
        assertThat(WINDOW.isEndPassed(at(SECOND, 9 * SECOND - COARSE - 1, 0))).isFalse();
        assertThat(WINDOW.isEndPassed(at(SECOND, 9 * SECOND - COARSE, 0))).isTrue();
    }

    /** Without a suspension the coarse clock shortens nothing, wherever its hundredths of a second begin. */
    @Test
    void aMachineThatIsNotSuspendedIsBelievedToTheNanosecond() {
        for (long phase = -COARSE; phase <= COARSE; phase += 1_234_567) {
            assertThat(WINDOW.isStopPassed(at(7 * SECOND - 1, 7 * SECOND - 1 + phase, 0)))
                    .isFalse();
            assertThat(WINDOW.stopAtNanos(at(3 * SECOND, 3 * SECOND + phase, 0)))
                    .isEqualTo(107 * SECOND);
        }
    }

    /** A clock that counts from boot and says less than the monotonic one, or runs to its end, breaks nothing. */
    @Test
    void nonsenseFromTheClockThatCountsFromBootProlongsNothing() {
        assertThat(WINDOW.isStopPassed(at(7 * SECOND, -3_600 * SECOND, 0))).isTrue();
        assertThat(WINDOW.isStopPassed(at(7 * SECOND - 1, -3_600 * SECOND, 0))).isFalse();
        for (long boot : new long[] {Long.MAX_VALUE - BOOT, Long.MAX_VALUE - BOOT - COARSE, Long.MAX_VALUE / 2}) {
            assertThat(WINDOW.isEndPassed(at(0, boot, 0))).isTrue();
            assertThat(WINDOW.stopAtNanos(at(SECOND, boot, 0))).isEqualTo(101 * SECOND);
        }
    }

    /** As {@link #whenItSaysThatItEndsItHasEnded}, where the wall clock was set back. */
    @Test
    void whenItSaysThatItEndsAfterASuspensionItHasEnded() {
        for (long suspended :
                new long[] {30_000_000, 2 * SECOND, 6 * SECOND + 998_400_000, 7 * SECOND, 3_600 * SECOND}) {
            for (long phase = 0; phase < COARSE; phase += 1_234_567) {
                for (long ran = 0; ran < SECOND; ran += 77_777_777) {
                    long woken = WINDOW.stopAtNanos(at(ran, coarse(phase + ran + suspended), -60_000)) - SENT;

                    assertThat(WINDOW.isStopPassed(at(woken, coarse(phase + woken + suspended), -60_000)))
                            .isTrue();
                    assertThat(woken).isLessThanOrEqualTo(Math.max(ran, 7 * SECOND - suspended + COARSE));
                }
            }
        }
    }

    /**
     * Where the stop lies between two hundredths of a second, they are shown again and again: a few looks are enough
     * all the same.
     */
    @Test
    void afterASuspensionAFewLooksFindTheStop() {
        for (long odd = 1; odd < COARSE; odd += 1_111_111) {
            LeaseWindow window = new LeaseWindow(WINDOW.sent(), 7 * SECOND + odd, 9 * SECOND);
            for (long phase = 0; phase < COARSE; phase += 1_234_567) {
                long ran = SECOND;
                int looks = 0;
                while (!window.isStopPassed(at(ran, coarse(phase + ran + 2 * SECOND), -60_000))) {
                    ran = window.stopAtNanos(at(ran, coarse(phase + ran + 2 * SECOND), -60_000)) - SENT;
                    looks++;
                }

                assertThat(looks).isLessThanOrEqualTo(11);
                assertThat(ran).isLessThanOrEqualTo(5 * SECOND + odd + 1_000_000);
            }
        }
    }

    private static long coarse(long nanos) {
        return nanos / COARSE * COARSE;
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
        assertThat(WINDOW.drainTimeoutNanos()).isEqualTo(2 * SECOND);
    }

    /**
     * Who is woken then finds it passed at once, however the milliseconds of the wall clock lie: it need not try again
     * and again.
     */
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
        LeaseWindow window = new LeaseWindow(new Now(sent, BOOT, WALL), 7 * SECOND, 9 * SECOND);
        Now wrapped = new Now(sent + 6 * SECOND, BOOT + 6 * SECOND, WALL);

        assertThat(window.isStopPassed(wrapped)).isFalse();
        assertThat(window.remainingNanos(wrapped)).isEqualTo(SECOND);
        assertThat(window.isStopPassed(new Now(wrapped.monotonicNanos() + SECOND, BOOT + 7 * SECOND, WALL)))
                .isTrue();
    }
}
