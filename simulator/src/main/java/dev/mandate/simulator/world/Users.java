package dev.mandate.simulator.world;

import dev.mandate.EndReason;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.spi.RecordKey;
import java.util.SplittableRandom;

/** What people do with their clients at any time: campaign, resign, withdraw, proclaim, observe, close. */
final class Users {
    private final World world;
    private final SplittableRandom random;
    private final Fault[] kinds;

    Users(World world) {
        this.world = world;
        this.random = world.random;
        this.kinds = world.knobs.users.toArray(new Fault[0]);
    }

    void plan() {
        for (int i = 0; i < world.knobs.userSteps; i++) {
            Fault kind = kinds[random.nextInt(kinds.length)];
            world.queue.put(new PlanStep(w -> act(kind), kind), random.nextLong(world.knobs.horizonNanos));
        }
    }

    /** Starts a process with its users. */
    void begin(Candidate candidate) {
        candidate.start();
        for (Post post : candidate.posts) {
            if (world.knobs.observers && random.nextInt(3) == 0) {
                observe(post, true);
            }
            campaign(post);
        }
        Registrant registrant = candidate.registrant;
        if (registrant != null) {
            registrant.begin();
        }
    }

    /** Restarts a process after a while; at once when all is healed, because the bounds count from the healing. */
    void restartLater(Candidate candidate) {
        boolean isHealed = world.network.isHealed;
        long pause = isHealed ? 0 : random.nextLong(3 * candidate.timing.leaseNanos());
        boolean forEver = !isHealed && random.nextInt(6) == 0 && world.countUp() > 1;
        candidate.isGoneForEver = forEver;
        if (!forEver) {
            world.queue.put(new PlanStep(w -> restart(candidate), Fault.CRASH), world.now + pause);
        }
    }

    private void restart(Candidate candidate) {
        if (!candidate.isUp) {
            begin(candidate);
        }
    }

    void campaign(Post post) {
        if (post.candidate.isClosing || post.stands || !post.callbacks.isSilent()) {
            return;
        }
        standsAgain(post);
        askToStand(post);
    }

    /** Campaigns again as soon as the withdrawal is complete. */
    void campaignNext(Post post) {
        if (!post.candidate.isClosing) {
            post.standsNext = true;
            askToStand(post);
        }
    }

    private void askToStand(Post post) {
        post.candidate.deliver(post, new ElectionEvent.Campaign("v" + post.candidate.index));
    }

    void standsAgain(Post post) {
        post.standsNext = false;
        post.stands = true;
        post.standAnew();
        post.callbacks.campaigned();
    }

    private void observe(Post post, boolean on) {
        post.observes = on;
        post.candidate.deliver(post, new ElectionEvent.Observe(on));
    }

    private void act(Fault kind) {
        Candidate candidate = world.candidates[random.nextInt(world.candidates.length)];
        int election = random.nextInt(world.knobs.elections);
        boolean closesLeader = kind == Fault.CLOSED && random.nextBoolean();
        if (closesLeader
                || kind == Fault.RESIGNED
                || kind == Fault.PROCLAIMED
                || kind == Fault.TASK_RETURNED
                || kind == Fault.TASK_FAILED) {
            // Only leaders care about these.
            candidate = world.leader(election, candidate);
        }
        if (candidate.isFrozen || !candidate.isUp || candidate.isClosing) {
            return;
        }
        Post post = candidate.posts[election];
        Reign reign = post.open();
        switch (kind) {
            case WITHDREW -> withdraw(post, 5);
            case OBSERVED -> observe(post, !post.observes);
            case CLOSED -> {
                world.fired(kind);
                candidate.close();
                restartLater(candidate);
                return;
            }
            default -> {
                if (reign == null) {
                    return;
                }
                asLeader(kind, post, reign);
            }
        }
        world.fired(kind);
    }

    /** {@code acquire} fails, or its first copy gets no answer: its user may withdraw in haste, even for good. */
    void goesUnanswered(Candidate candidate, ElectionAction.Acquire acquire) {
        if (world.knobs.hasty && acquire.key().space().equals(RecordKey.ELECTIONS) && random.nextInt(2) == 0) {
            int election = World.election(acquire.key());
            // Mostly before the next copy lands.
            long soon = random.nextLong(1 + random.nextLong(candidate.timing.requestTimeoutNanos() / 2));
            world.queue.put(new PlanStep(w -> withdraw(candidate, election), Fault.WITHDREW), world.now + soon);
        }
    }

    private void withdraw(Candidate candidate, int election) {
        if (candidate.isUp && !candidate.isFrozen && !candidate.isClosing && !world.network.isHealed) {
            withdraw(candidate.posts[election], 2);
        }
    }

    /** Withdraws; one in {@code forGood} never campaigns again. */
    private void withdraw(Post post, int forGood) {
        if (!post.stands && !post.standsNext) {
            return;
        }
        post.stands = false;
        post.standsNext = false;
        post.candidate.deliver(post, new ElectionEvent.Withdraw(EndReason.WITHDRAWN));
        long pause = random.nextLong(4 * post.candidate.timing.leaseNanos());
        if (random.nextInt(forGood) > 0) {
            campaignLater(post, pause);
        }
    }

    /** Campaigns again after {@code pause}, at once or when the withdrawal is complete. */
    private void campaignLater(Post post, long pause) {
        CandidateStep step = new CandidateStep(
                post.candidate,
                () -> campaignAgain(post),
                0x700 + post.election,
                () -> "campaigns again in election " + post.election);
        world.queue.put(step, world.now + pause);
    }

    private void campaignAgain(Post post) {
        if (world.network.isHealed || post.stands || post.standsNext) {
            return;
        }
        if (post.callbacks.isSilent()) {
            campaign(post);
        } else if (random.nextBoolean()) {
            campaignNext(post);
        } else {
            campaignLater(post, post.candidate.timing.leaseNanos());
        }
    }

    private void asLeader(Fault kind, Post post, Reign reign) {
        long term = reign.term.number();
        switch (kind) {
            case PROCLAIMED -> {
                // Sometimes many in a row: proclaims must prolong nothing.
                int times = random.nextInt(4) == 0 ? 20 : 1;
                for (int i = 0; i < times; i++) {
                    long at = world.now + i * post.candidate.timing.leaseNanos() / 10;
                    CandidateStep step = new CandidateStep(
                            post.candidate,
                            () -> proclaim(post, term),
                            0x800 + term,
                            () -> "proclaims in term " + term + " of election " + post.election);
                    world.queue.put(step, at);
                }
            }
            case RESIGNED -> {
                // Sometimes the term is long over by then.
                if (random.nextInt(3) == 0) {
                    long delay = random.nextLong(3 * post.candidate.timing.leaseNanos());
                    CandidateStep step = new CandidateStep(
                            post.candidate,
                            () -> resignUnlessHealed(post, term),
                            0x900 + term,
                            () -> "resigns from term " + term + " of election " + post.election);
                    world.queue.put(step, world.now + delay);
                } else {
                    resign(post, term);
                }
            }
            case TASK_FAILED -> {
                post.commandedTerm = term;
                post.candidate.deliver(post, new ElectionEvent.Resign(term, EndReason.FAILED));
            }
            default -> {
                post.commandedTerm = term;
                if (reign.isWorking) {
                    WorkStep.end(reign);
                }
            }
        }
    }

    private void resignUnlessHealed(Post post, long term) {
        if (!world.network.isHealed) {
            resign(post, term);
        }
    }

    void resign(Post post, long term) {
        post.commandedTerm = term;
        post.candidate.deliver(post, new ElectionEvent.Resign(term, EndReason.RESIGNED));
    }

    void proclaim(Post post, long term) {
        post.callbacks.proclaims(++post.proclaims);
        String value = "p" + post.proclaims;
        Reign reign = post.open();
        post.values.proclaims(reign != null && reign.term.number() == term ? reign.attempt() : null, value);
        post.candidate.deliver(post, new ElectionEvent.Proclaim(post.proclaims, term, value));
    }
}
