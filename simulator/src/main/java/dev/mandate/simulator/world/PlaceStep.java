package dev.mandate.simulator.world;

import dev.mandate.engine.ElectionEvent;

/** The order tells a client its place. */
final class PlaceStep extends Step {
    private final Post post;
    private final int place;

    PlaceStep(Post post, int place) {
        super(post.candidate);
        this.post = post;
        this.place = place;
    }

    @Override
    void run(World world) {
        post.turns.placed(place, post.candidate.get().monotonicNanos());
        post.candidate.deliver(post, new ElectionEvent.Placed(place));
    }

    @Override
    long mark() {
        return 0xA00 + place;
    }

    @Override
    public String toString() {
        return "candidate " + post.candidate.index + " is told place " + place + " in election " + post.election;
    }
}
