package dev.mandate.simulator.world;

/** A candidate that withdrew campaigns again, at once or when the withdrawal is complete. */
final class CampaignStep extends Step {
    private final Post post;

    CampaignStep(Post post) {
        super(post.candidate);
        this.post = post;
    }

    @Override
    void run(World world) {
        if (world.network.isHealed || post.stands || post.standsNext) {
            return;
        }
        if (post.callbacks.isSilent()) {
            world.users.campaign(post);
        } else if (world.random.nextBoolean()) {
            world.users.campaignNext(post);
        } else {
            world.queue.put(new CampaignStep(post), world.now + post.candidate.timing.leaseNanos());
        }
    }

    @Override
    long mark() {
        return 0x700 + post.election;
    }

    @Override
    public String toString() {
        return "candidate " + post.candidate.index + " campaigns again in election " + post.election;
    }
}
