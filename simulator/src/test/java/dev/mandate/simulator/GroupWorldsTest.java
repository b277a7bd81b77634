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
 * Groups without a store: the real engine and the real node in each of 3 to 9 processes, on seeds that nobody has seen
 * before, in every build. {@code -Dmandate.simulator.groups=N} runs more or fewer, and
 * {@code -Dmandate.simulator.base=SEED} the same ones again.
 */
class GroupWorldsTest {
    private static final long SCHEDULES = Long.getLong("mandate.simulator.groups", 100_000);
    /** Below that chance may leave out a fault. */
    private static final long COUNTS_FROM = 10_000;

    private static final int TWICE = 200;

    /** Pieces of two seconds of processor time: they run at low priority, and end soon on a busy machine, too. */
    private static final int PIECES = 200;

    private static final int PIECES_OF_PLOTS = 40;

    private static final long BASE = Long.getLong("mandate.simulator.base", new SecureRandom().nextLong() >>> 24);
    private static final Coverage COVERAGE = new Coverage();
    private static int covered;

    @RepeatedTest(PIECES)
    void nothingBreaks(RepetitionInfo info) {
        long from = (info.getCurrentRepetition() - 1) * SCHEDULES / PIECES;
        long to = info.getCurrentRepetition() * SCHEDULES / PIECES;
        Batch batch = Seeds.hold(Aim.GROUPS, StoreKind.JUDGES_RECORD, BASE + from, to - from);

        COVERAGE.add(batch.coverage());
        covered++;
    }

    @AfterAll
    static void everyFaultFires() {
        if (covered == PIECES && SCHEDULES >= COUNTS_FROM) {
            assertThat(COVERAGE.missingGroupFaults())
                    .as("never met: the run is void; seed base %d%n%s", BASE, COVERAGE)
                    .isEmpty();
        }
    }

    /** Voters restart while a write that they promised is under way. */
    @RepeatedTest(PIECES_OF_PLOTS)
    void nothingBreaksWhereVotersRestart(RepetitionInfo info) {
        long schedules = SCHEDULES / 10 / PIECES_OF_PLOTS;
        Seeds.hold(Aim.PLOTS, StoreKind.JUDGES_RECORD, BASE + info.getCurrentRepetition() * schedules, schedules);
    }

    /** A candidate that may never lead asks the leader to leave and gives up before the leader hears of it. */
    @Test
    void theLastRequestToLeaveCostsACoolDown() {
        Seeds.hold(Aim.GROUPS, StoreKind.JUDGES_RECORD, 702_378_353_628L, 1);
    }

    @Test
    void aSeedDecidesEverything() {
        assertThat(hashes(false)).containsExactly(hashes(true)).doesNotHaveDuplicates();
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
                        Aim.GROUPS,
                        StoreKind.JUDGES_RECORD,
                        new Coverage(),
                        isTold ? new Transcript(Replay.LINES) : null)
                .run();
    }
}
