package dev.mandate.simulator.classic;

import java.util.List;
import java.util.SplittableRandom;

/** Scenes with five nodes, to which one thing happens after another; the same in every run. */
final class ClassicScenes {
    private static final int NODES = 5;
    private static final int HIGHEST = NODES - 1;
    /** The election at the start is over, and a heartbeat has just arrived everywhere. */
    private static final long SETTLED_NANOS = 3_030 * ClassicWorld.MILLI;

    private final ClassicTranscript transcript = new ClassicTranscript();
    private final ClassicWorld world;

    /** The nodes have started and follow the highest. The transcript does not show that. */
    ClassicScenes(Algorithm algorithm) {
        this.world = new ClassicWorld(algorithm, NODES, new SplittableRandom(1), transcript);
        world.startAll();
        world.runFor(SETTLED_NANOS);
    }

    ClassicWorld world() {
        return world;
    }

    List<String> transcript() {
        return transcript.lines();
    }

    /** The transcript begins here. */
    ClassicScenes begin() {
        transcript.begin(world.nowNanos());
        return this;
    }

    ClassicScenes leaderDies() {
        world.crash(HIGHEST);
        return idle(5);
    }

    ClassicScenes leaderReturns() {
        world.start(HIGHEST);
        return idle(3);
    }

    ClassicScenes networkSplits() {
        world.split(List.of(0, 1));
        return idle(5);
    }

    ClassicScenes networkHeals() {
        world.heal();
        return idle(3);
    }

    ClassicScenes leaderIsPaused() {
        world.pause(HIGHEST, 4 * ClassicWorld.SECOND);
        return idle(7);
    }

    private ClassicScenes idle(int seconds) {
        world.runFor(seconds * ClassicWorld.SECOND);
        return this;
    }
}
