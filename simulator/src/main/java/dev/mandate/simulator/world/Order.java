package dev.mandate.simulator.world;

import dev.mandate.EndReason;
import dev.mandate.engine.ElectionEvent;
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
            CandidateStep step = new CandidateStep(
                    post.candidate,
                    () -> askToLeave(post, term),
                    0xB00 + term,
                    () -> "is asked to leave term " + term + " of election " + post.election);
            world.queue.put(step, world.now + soon + delay());
        }
    }

    private void askToLeave(Post post, long term) {
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

    private long delay() {
        if (!chance(knobs.late())) {
            return 1 + random.nextLong(2 * Knobs.MILLI);
        }
        world.fired(Fault.PLACE_LATE);
        return random.nextLong(knobs.lateMaxNanos() + 1);
    }

    private void place(Post post, long delay) {
        int place = placeOf(post);
        CandidateStep step = new CandidateStep(
                post.candidate,
                () -> placed(post, place),
                0xA00 + place,
                () -> "is told place " + place + " in election " + post.election);
        world.queue.put(step, world.now + delay);
    }

    private static void placed(Post post, int place) {
        post.turns.placed(place, post.candidate.get().monotonicNanos());
        post.candidate.deliver(post, new ElectionEvent.Placed(place));
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
