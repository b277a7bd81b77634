package dev.mandate.peers.classic;

import java.util.List;

/** What classic elections do, as a transcript one can read: two that work, and a split that ends in two leaders. */
final class ClassicScenes {
    private static final long SECOND = 1_000 * ClassicWorld.MILLI;

    private final ClassicWorld world;

    ClassicScenes(Algorithm algorithm) {
        this.world = new ClassicWorld(algorithm, 5, 1, true);
    }

    ClassicWorld world() {
        return world;
    }

    /** The five of them start and elect the highest. */
    ClassicScenes starts() {
        world.note("--- five nodes start");
        world.startAll();
        return idle(3);
    }

    ClassicScenes leaderCrashes() {
        world.note("--- the leader crashes");
        world.crash(4);
        return idle(5);
    }

    ClassicScenes leaderReturns() {
        world.note("--- it returns");
        world.start(4);
        return idle(3);
    }

    ClassicScenes networkSplits() {
        world.note("--- the network splits");
        world.split(List.of(0, 1));
        return idle(5);
    }

    ClassicScenes networkHeals() {
        world.note("--- the network heals");
        world.heal();
        return idle(3);
    }

    private ClassicScenes idle(int seconds) {
        world.runFor(seconds * SECOND);
        return this;
    }

    /** All of it, a line for each thing that happens; times in seconds. */
    static List<String> transcript(Algorithm algorithm) {
        return new ClassicScenes(algorithm)
                .starts()
                .leaderCrashes()
                .leaderReturns()
                .networkSplits()
                .networkHeals()
                .world()
                .transcript();
    }
}
