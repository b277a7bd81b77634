package dev.mandate.simulator.world;

import dev.mandate.spi.Observation;

/** A watch tells a follower in a process of a change below its prefix, or only that there was one. */
final class FollowerHint extends Step {
    private final Candidate candidate;
    private final Follower to;
    private final Observation seen;

    /** What follows a service or queues. */
    interface Follower {
        void hint(Observation seen);

        void gap();
    }

    FollowerHint(Candidate candidate, Follower to, Observation seen) {
        super(candidate);
        this.candidate = candidate;
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
        return (to instanceof Waiter ? 0xD00 : 0xB00) + candidate.index;
    }

    @Override
    public String toString() {
        return "candidate " + candidate.index + " is told that " + seen.key().path() + " was " + seen;
    }
}
