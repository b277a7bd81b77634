package dev.mandate.simulator.world;

import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.SessionEvent;

/** The runtime tells the machine that a caller saw the end of a term's belief before the machine did. */
final class LatchStep extends Step {
    private final Reign reign;

    LatchStep(Candidate target, Reign reign) {
        super(target);
        this.reign = reign;
    }

    @Override
    void run(World world) {
        Candidate candidate = reign.post.candidate;
        if (reign.session != null) {
            candidate.deliver(new SessionEvent.Latched(reign.session));
        } else {
            candidate.deliver(reign.post, new ElectionEvent.TermLatched(reign.term.number()));
        }
    }

    @Override
    long mark() {
        return 0x400 + reign.term.number();
    }

    @Override
    public String toString() {
        return "a caller of " + reign + " saw that it is over";
    }
}
