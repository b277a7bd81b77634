package dev.mandate.simulator.world;

/** A present or former leader proclaims. */
final class ProclaimStep extends Step {
    private final Post post;
    private final long term;

    ProclaimStep(Post post, long term) {
        super(post.candidate);
        this.post = post;
        this.term = term;
    }

    @Override
    void run(World world) {
        world.users.proclaim(post, term);
    }

    @Override
    long mark() {
        return 0x800 + term;
    }

    @Override
    public String toString() {
        return "candidate " + post.candidate.index + " proclaims in term " + term + " of election " + post.election;
    }
}
