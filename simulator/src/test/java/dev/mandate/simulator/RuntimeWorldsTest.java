package dev.mandate.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.Outcome;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.simulator.world.Transcript;
import java.security.SecureRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/**
 * Clients as they are, with loops, watchdogs, callbacks and tasks, any of which may be descheduled between two steps:
 * seeds that nobody has seen before, in every build. {@code -Dmandate.simulator.runtime=N} runs more or fewer, and
 * {@code -Dmandate.simulator.base=SEED} the same ones again.
 */
class RuntimeWorldsTest {
    private static final long SCHEDULES = Long.getLong("mandate.simulator.runtime", 20_000);
    /** Below that chance may leave out a hazard. */
    private static final long COUNTS_FROM = 5_000;

    private static final int TWICE = 100;

    /** Pieces of a second of processor time: they run at low priority, and end soon on a busy machine, too. */
    private static final int PIECES = 100;

    private static final int PIECES_HELD_UP = 10;

    private static final long BASE = Long.getLong("mandate.simulator.base", new SecureRandom().nextLong() >>> 24);
    private static final Coverage COVERAGE = new Coverage();
    private static int covered;

    @RepeatedTest(PIECES)
    void nothingBreaks(RepetitionInfo info) {
        long from = (info.getCurrentRepetition() - 1) * SCHEDULES / PIECES;
        long to = info.getCurrentRepetition() * SCHEDULES / PIECES;
        Batch batch = Seeds.hold(Aim.RUNTIME, null, BASE + from, to - from);

        COVERAGE.add(batch.coverage());
        covered++;
    }

    @AfterAll
    static void everythingIsMet() {
        if (covered == PIECES && SCHEDULES >= COUNTS_FROM) {
            assertThat(COVERAGE.missingHazards())
                    .as("never met: the run is void; seed base %d%n%s", BASE, COVERAGE)
                    .isEmpty();
        }
    }

    @RepeatedTest(PIECES_HELD_UP)
    void nothingBreaksWhereThreadsAreHeldUpForLong(RepetitionInfo info) {
        long schedules = SCHEDULES / 20 / PIECES_HELD_UP;
        Seeds.hold(Aim.DESCHEDULED, null, BASE + info.getCurrentRepetition() * schedules, schedules);
    }

    /** Threads of the machine take part, but one at a time, and it makes no difference which. */
    @Test
    void aSeedDecidesEverything() {
        assertThat(hashes(false)).containsExactly(hashes(true));
    }

    private static long[] hashes(boolean isTold) {
        return LongStream.range(0, TWICE)
                .parallel()
                .map(seed -> run(seed, isTold).hash())
                .toArray();
    }

    private static Outcome run(long seed, boolean isTold) {
        return Schedule.of(
                        seed,
                        Aim.RUNTIME,
                        StoreKind.ofSeed(seed),
                        new Coverage(),
                        isTold ? new Transcript(Replay.LINES) : null)
                .run();
    }
}
