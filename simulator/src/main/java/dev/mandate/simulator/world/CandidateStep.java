package dev.mandate.simulator.world;

import java.util.function.Supplier;

/** Something that one process does later: an act of its user, an event of its order, a timer. */
final class CandidateStep extends Step {
    private final Runnable act;
    private final long mark;
    private final Supplier<String> words;

    CandidateStep(Candidate target, Runnable act, long mark, Supplier<String> words) {
        super(target);
        this.act = act;
        this.mark = mark;
        this.words = words;
    }

    @Override
    void run(World world) {
        act.run();
    }

    @Override
    long mark() {
        return mark;
    }

    @Override
    public String toString() {
        return "candidate " + (target == null ? "" : target.index) + " " + words.get();
    }
}
