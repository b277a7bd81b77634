package dev.mandate.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.Outcome;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.simulator.world.World;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A seed decides everything. */
@Tag("long")
class SameSeedTest {
    private static final int SEEDS = 1_000;

    private static Outcome run(long seed) {
        return new World(seed, Aim.SWARM, StoreKind.ofSeed(seed), new Coverage(), null).run();
    }

    private static long[] hashes() {
        // On all processors, in whatever order: worlds must not know of each other.
        return LongStream.range(0, SEEDS)
                .parallel()
                .map(seed -> run(seed).hash())
                .toArray();
    }

    @Test
    void aThousandSeedsRunTwiceLeaveTheSameTrace() {
        assertThat(hashes()).containsExactly(hashes());
    }

    @Test
    void otherSeedsLeaveOtherTraces() {
        assertThat(LongStream.of(hashes()).distinct().count()).isEqualTo(SEEDS);
    }

    @Test
    void aTranscriptChangesNothing() {
        Outcome alone = run(5);

        Outcome shown = new Replay(5, Aim.SWARM, StoreKind.ofSeed(5), Replay.LINES).outcome();

        assertThat(shown).isEqualTo(alone);
    }
}
