package dev.mandate.simulator.world;

import dev.mandate.spi.Observation;

/** A watch tells a process of a change in the service, or only that there was one. */
final class ServiceHint extends Step {
    private final Registrant to;
    private final Observation seen;

    ServiceHint(Registrant to, Observation seen) {
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
        return 0xB00 + to.candidate.index;
    }

    @Override
    public String toString() {
        return "candidate " + to.candidate.index + " is told that instance "
                + seen.key().name() + " was " + seen;
    }
}
