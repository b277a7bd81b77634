package dev.mandate.simulator.world;

import dev.mandate.spi.Observation;

/** A watch tells a process of a change in a queue, or only that there was one. */
final class QueueHint extends Step {
    private final Waiter to;
    private final Observation seen;

    QueueHint(Waiter to, Observation seen) {
        super(to.candidate);
        this.to = to;
        this.seen = seen;
    }

    @Override
    void run(World world) {
        if (world.knobs.watchSaysOnlyThatSomethingChanged) {
            to.gap();
        } else {
            to.hint(seen);
        }
    }

    @Override
    long mark() {
        return 0xD00 + to.candidate.index;
    }

    @Override
    public String toString() {
        return "candidate " + to.candidate.index + " is told that place "
                + seen.key().path() + " was " + seen;
    }
}
