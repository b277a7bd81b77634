package dev.mandate.simulator.world;

import dev.mandate.simulator.world.OrderKnobs.Shape;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.Stance;
import java.util.SplittableRandom;

/** Says who tries first: late, twice, wrongly or never, and asks leaders to leave; even when all else is healed. */
final class Order {
    private final World world;
    private final OrderKnobs knobs;
    private final SplittableRandom random;

    /** Draws from {@code random}, which nobody else uses. */
    Order(World world, OrderKnobs knobs, SplittableRandom random) {
        this.world = world;
        this.knobs = knobs;
        this.random = random;
    }

    private boolean chance(double p) {
        return random.nextDouble() < p;
    }

    /** A client reports its stance. */
    void stands(Post post, Stance stance) {
        post.stance = stance;
        boolean seeks = stance == Stance.Seeking.INSTANCE;
        if (seeks && chance(knobs.lost())) {
            world.fired(Fault.PLACE_LOST);
        } else if (seeks || chance(knobs.unasked())) {
            place(post, delay());
            if (chance(knobs.twice())) {
                world.fired(Fault.PLACE_DOUBLED);
                place(post, delay() + random.nextLong(knobs.lateMaxNanos() + 1));
            }
        }
        if (stance instanceof Stance.Leading leading && chance(knobs.asksToLeave())) {
            long term = chance(0.8) ? leading.term() : random.nextLong(leading.term() + 2);
            long soon = random.nextLong(2 * post.candidate.timing.leaseNanos());
            world.queue.put(new LeaveStep(post, term), world.now + soon + delay());
        }
    }

    private long delay() {
        if (!chance(knobs.late())) {
            return 1 + random.nextLong(2 * Knobs.MILLI);
        }
        world.fired(Fault.PLACE_LATE);
        return random.nextLong(knobs.lateMaxNanos() + 1);
    }

    private void place(Post post, long delay) {
        world.queue.put(new PlaceStep(post, placeOf(post)), world.now + delay);
    }

    private int placeOf(Post post) {
        if (knobs.shape() == Shape.RANK) {
            return rankOf(post);
        } else if (knobs.shape() == Shape.ANY) {
            return random.nextInt(Ordered.STEPS_MAX + 3);
        }
        return knobs.shape() == Shape.FIRST ? 0 : random.nextInt();
    }

    /** How many others that campaign come before this one. */
    private int rankOf(Post post) {
        int before = 0;
        for (Candidate candidate : world.candidates) {
            boolean comesBefore = candidate.index > post.candidate.index;
            boolean stands = candidate.isUp && candidate.posts[post.election].stance != Stance.Absent.INSTANCE;
            before += comesBefore && stands ? 1 : 0;
        }
        return before;
    }
}
