package dev.mandate.peers.register;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random walks, aimed at restarts, from a seed of this build's own. {@code -Dmandate.walks=SECONDS} says how long (60),
 * {@code -Dmandate.walks.seed=N} replays one.
 */
class WalksTest {
    @Test
    @Tag("long")
    void noWalkBreaksARule() {
        Long replayed = Long.getLong("mandate.walks.seed");
        if (replayed != null) {
            walk(replayed);
            return;
        }
        long first = new Random().nextLong() >>> 16;
        long nanos = Duration.ofSeconds(Long.getLong("mandate.walks", 60L)).toNanos();
        long start = System.nanoTime();
        long seed = first;
        long written = 0;
        long restarts = 0;
        long lost = 0;
        long old = 0;
        do {
            Walk walk = walk(seed++);
            written += walk.written;
            restarts += walk.restarts;
            lost += walk.lost;
            old += walk.old;
        } while (System.nanoTime() - start < nanos || seed - first < 1_000);
        System.out.println("walked from seed " + first + ": " + (seed - first) + " walks, " + written + " written, "
                + restarts + " restarts, " + lost + " files lost, " + old + " old");
        assertThat(written).isGreaterThan(1_000);
        assertThat(restarts).isGreaterThan(1_000);
        assertThat(lost).isGreaterThan(50);
        assertThat(old).isGreaterThan(20);
    }

    private static Walk walk(long seed) {
        Walk walk = new Walk(seed);
        try {
            return walk.run();
        } catch (Violation e) {
            throw new AssertionError("seed " + seed + " (" + walk + "); replay with -Dmandate.walks.seed=" + seed, e);
        }
    }
}
