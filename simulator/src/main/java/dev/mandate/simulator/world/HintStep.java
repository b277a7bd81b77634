package dev.mandate.simulator.world;

import dev.mandate.spi.Observation;

/** A watch tells a process of a change, or only that there was one. */
final class HintStep extends Step {
    private final Candidate to;
    private final int election;
    private final Observation seen;

    HintStep(Candidate to, int election, Observation seen) {
        super(to);
        this.to = to;
        this.election = election;
        this.seen = seen;
    }

    @Override
    void run(World world) {
        if (world.knobs.watchSaysOnlyThatSomethingChanged) {
            to.gap();
        } else if (to.posts[election].observes || to.posts[election].stands || to.isKnown(election)) {
            to.hint(to.posts[election], seen);
        }
    }

    @Override
    long mark() {
        return 0x300 + election * 41L + to.index;
    }

    @Override
    public String toString() {
        return "candidate " + to.index + " is told that election " + election + " was " + seen;
    }
}
