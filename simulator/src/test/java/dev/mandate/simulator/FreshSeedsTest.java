package dev.mandate.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import java.security.SecureRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Seeds that nobody has seen before, in every build. {@code -Dmandate.simulator.schedules=N} runs more or fewer, and {@code
 * -Dmandate.simulator.base=SEED} the same ones again.
 */
class FreshSeedsTest {
    private static final int THREADS = Runtime.getRuntime().availableProcessors();
    private static final long SCHEDULES = Long.getLong("mandate.simulator.schedules", 200_000);
    /** Below that chance may leave out a pair of event and role. */
    private static final long COUNTS_FROM = 200_000;

    private final long base = Long.getLong("mandate.simulator.base", new SecureRandom().nextLong() >>> 24);

    @BeforeAll
    static void letOthersRunFirst() {
        LowPriority.request();
    }

    @Test
    void nothingBreaksAndEverythingIsMet() {
        Batch batch = run(Aim.SWARM, SCHEDULES);

        assertThat(batch.done()).isEqualTo(SCHEDULES);
        assertThat(batch.coverage().impossible())
                .as("met, but said to be impossible; seed base %d%n%s", base, batch.coverage())
                .isEmpty();
        if (SCHEDULES >= COUNTS_FROM) {
            assertThat(batch.coverage().missing())
                    .as("never met: the batch is void; seed base %d%n%s", base, batch.coverage())
                    .isEmpty();
        }
    }

    /**
     * Hasty withdrawals in small groups; suspensions that only a wall clock tells of, which is set; leaders that are frozen again and again;
     * and leaders that cannot look while their records are taken away.
     */
    @ParameterizedTest
    @EnumSource(
            value = Aim.class,
            names = {"HAUNTED", "SUSPENDED", "PAUSED", "BLINDED"})
    void nothingBreaksWhereItHurts(Aim aim) {
        Batch batch = run(aim, SCHEDULES / 20);

        assertThat(batch.done()).isEqualTo(SCHEDULES / 20);
    }

    private Batch run(Aim aim, long schedules) {
        Batch batch = new Batch(aim, null, base, schedules);
        Long failed = batch.run(THREADS);
        System.out.println("simulator, " + aim.text() + ": " + batch.figures());
        if (failed != null) {
            fail(new Replay(failed, aim, StoreKind.ofSeed(failed), Replay.LINES).toString());
        }
        return batch;
    }
}
