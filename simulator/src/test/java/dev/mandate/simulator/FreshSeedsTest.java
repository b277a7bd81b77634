package dev.mandate.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import java.security.SecureRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Seeds that nobody has seen before, in every build. {@code -Dmandate.simulator.schedules=N} runs more or fewer, and
 * {@code -Dmandate.simulator.base=SEED} the same ones again.
 */
class FreshSeedsTest {
    private static final long SCHEDULES = Long.getLong("mandate.simulator.schedules", 200_000);
    /** Below that chance may leave out a pair of event and role. */
    private static final long COUNTS_FROM = 200_000;

    /** Pieces of a second of processor time: they run at low priority, and end soon on a busy machine, too. */
    private static final int PIECES = 200;

    private static final int PIECES_OF_AN_AIM = 20;

    private static final long BASE = Long.getLong("mandate.simulator.base", new SecureRandom().nextLong() >>> 24);
    private static final Coverage COVERAGE = new Coverage();
    private static int covered;

    @RepeatedTest(PIECES)
    void nothingBreaks(RepetitionInfo info) {
        long from = (info.getCurrentRepetition() - 1) * SCHEDULES / PIECES;
        long to = info.getCurrentRepetition() * SCHEDULES / PIECES;
        Batch batch = Seeds.hold(Aim.SWARM, null, BASE + from, to - from);

        COVERAGE.add(batch.coverage());
        covered++;
    }

    @AfterAll
    static void everythingIsMet() {
        if (covered < PIECES) {
            return;
        }
        assertThat(COVERAGE.impossible())
                .as("met, but said to be impossible; seed base %d%n%s", BASE, COVERAGE)
                .isEmpty();
        if (SCHEDULES >= COUNTS_FROM) {
            assertThat(COVERAGE.missing())
                    .as("never met: the run is void; seed base %d%n%s", BASE, COVERAGE)
                    .isEmpty();
        }
    }

    /**
     * Hasty withdrawals in small groups, also where work never ends; suspensions that only a wall clock tells of, which
     * is set; leaders that are frozen again and again; and leaders that cannot look while their records are taken away.
     */
    @ParameterizedTest
    @MethodSource("whereItHurts")
    void nothingBreaksWhereItHurts(Aim aim, int piece) {
        long schedules = SCHEDULES / 40 / PIECES_OF_AN_AIM;
        Seeds.hold(aim, null, BASE + piece * schedules, schedules);
    }

    static Stream<Arguments> whereItHurts() {
        return Stream.of(Aim.HAUNTED, Aim.STUCK, Aim.SUSPENDED, Aim.PAUSED, Aim.BLINDED)
                .flatMap(aim -> IntStream.range(0, PIECES_OF_AN_AIM).mapToObj(piece -> Arguments.of(aim, piece)));
    }

    /** Many elections on few clients, and many clients in one. */
    @Test
    void nothingBreaksWhereItIsCrowded() {
        Seeds.hold(Aim.CROWDED, null, BASE, SCHEDULES / 400);
    }
}
