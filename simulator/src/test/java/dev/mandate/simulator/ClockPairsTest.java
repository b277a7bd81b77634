package dev.mandate.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.Outcome;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.simulator.world.World;
import java.security.SecureRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two machines whose clock rates differ by exactly the ratio q that is promised to be covered, and by one percent more.
 * The promise is sharp: the first holds, and the second fails where neither guard nor drain budget hides it.
 */
@Tag("long")
class ClockPairsTest {
    private static final int SEEDS = 250;

    private final long base = new SecureRandom().nextLong() >>> 24;

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void exactlyQHoldsWithDefaultSettings(StoreKind kind) {
        holds(Aim.CLOCK_EDGE, kind);
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void exactlyQHoldsWithoutGuardAndDrain(StoreKind kind) {
        holds(Aim.CLOCK_BARE, kind);
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void exactlyQHoldsWhateverMessagesTake(StoreKind kind) {
        holds(Aim.CLOCK_SLOW, kind);
    }

    /** What a store grants for less than it could is enough for the steps of its clock. */
    @Test
    void exactlyQHoldsThoughTheStoresClockIsSet() {
        holds(Aim.CLOCK_STEPPED, StoreKind.REMOVES_RECORD);
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void onePercentBeyondQIsCaught(StoreKind kind) {
        for (long seed = base; seed < base + SEEDS; seed++) {
            Outcome outcome = new World(seed, Aim.CLOCK_BEYOND, kind, new Coverage(), null).run();
            if (outcome.broken() == Invariant.BELIEF) {
                return;
            }
            assertThat(outcome.broken())
                    .as("seed %d, %s", seed, outcome.words())
                    .isNull();
        }
        fail("two believers would be right with clocks this far apart, but none of %d seeds from %d on shows them"
                .formatted(SEEDS, base));
    }

    private void holds(Aim aim, StoreKind kind) {
        Batch batch = Seeds.hold(aim, kind, base, SEEDS);

        assertThat(batch.coverage().takeOvers())
                .as("take-overs from seed %d on", base)
                .isPositive();
    }
}
