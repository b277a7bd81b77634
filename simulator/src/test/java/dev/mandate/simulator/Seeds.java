package dev.mandate.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import org.jspecify.annotations.Nullable;

/** Runs many seeds on all processors. */
final class Seeds {
    private static final int THREADS = Runtime.getRuntime().availableProcessors();

    private Seeds() {}

    /** Fails, and shows the first that broke something, unless all hold; {@code kind} null: as each seed has it. */
    static Batch hold(Aim aim, @Nullable StoreKind kind, long base, long schedules) {
        Batch batch = new Batch(aim, kind, base, schedules);
        Long failed = batch.run(THREADS);
        System.out.println("simulator, " + aim.text() + ": " + batch.figures());
        if (failed != null) {
            StoreKind its = kind == null ? StoreKind.ofSeed(failed) : kind;
            fail(new Replay(failed, aim, its, Replay.LINES).toString());
        }
        assertThat(batch.done()).isEqualTo(schedules);
        return batch;
    }
}
