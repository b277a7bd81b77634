package dev.mandate.simulator.world;

/** A present or former leader resigns. */
final class ResignStep extends Step {
    private final Post post;
    private final long term;

    ResignStep(Post post, long term) {
        super(post.candidate);
        this.post = post;
        this.term = term;
    }

    @Override
    void run(World world) {
        if (!world.network.isHealed) {
            world.users.resign(post, term);
        }
    }

    @Override
    long mark() {
        return 0x900 + term;
    }

    @Override
    public String toString() {
        return "candidate " + post.candidate.index + " resigns from term " + term + " of election " + post.election;
    }
}
