package dev.mandate.simulator.world;

import dev.mandate.EndReason;
import dev.mandate.engine.ElectionEvent;

/** The order asks a present or former leader to leave. */
final class LeaveStep extends Step {
    private final Post post;
    private final long term;

    LeaveStep(Post post, long term) {
        super(post.candidate);
        this.post = post;
        this.term = term;
    }

    @Override
    void run(World world) {
        if (world.network.isHealed) {
            return;
        }
        Reign reign = post.open();
        if (reign != null && reign.term.number() == term) {
            world.fired(Fault.ASKED_BY_THE_ORDER);
            post.askToLeave(reign.attempt());
        }
        post.candidate.load.commanded(post.candidate.get().monotonicNanos());
        post.candidate.deliver(post, new ElectionEvent.Resign(term, EndReason.EVICTED));
    }

    @Override
    long mark() {
        return 0xB00 + term;
    }

    @Override
    public String toString() {
        return "candidate " + post.candidate.index + " is asked to leave term " + term + " of election "
                + post.election;
    }
}
