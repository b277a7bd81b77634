package dev.mandate.simulator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.Outcome;
import dev.mandate.simulator.world.StoreKind;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ProcessTest {
    private final RuntimeWorld world =
            new RuntimeWorld(1, Aim.RUNTIME, StoreKind.parse("removes-session"), new Coverage(), null);
    private final Process process = world.processes[0];

    /** A client that catches everything may have one more listener to call, which sleeps too. */
    @Test
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whoSleepsOnWhenAllIsOverIsNotWaitedForWhileTheClockIsAsleep() {
        world.put(1, null, "starts", () -> {
            process.start();
            world.put(2, process, "sleeps", this::sleepOn);
        });
        world.put(3, null, "breaks", () -> {
            process.freeze(true);
            world.judge.violated(Invariant.BELIEF, "two at once");
        });

        Outcome outcome = world.run();

        assertThat(outcome.broken()).isEqualTo(Invariant.BELIEF);
    }

    private void sleepOn() {
        try {
            process.sleepStubbornly(TimeUnit.DAYS.toNanos(1));
        } catch (WorldOver over) {
            process.sleepStubbornly(1);
        }
    }
}
