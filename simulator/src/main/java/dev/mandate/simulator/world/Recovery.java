package dev.mandate.simulator.world;

import dev.mandate.EndReason;
import dev.mandate.Settle;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.View;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.check.RecoveryCheck;
import dev.mandate.spi.Id;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.SessionRenewal;
import org.jspecify.annotations.Nullable;

/** The end of a schedule: within bounds, somebody must lead, everybody must know, and nothing may be left over. */
final class Recovery {
    private final World world;
    private final RecoveryCheck check;
    private final @Nullable Liveness[] alive;
    /** Whether nobody campaigned at the last look. */
    private final boolean[] isUnwanted;

    private boolean isOn;
    private long healedAt;
    private long sessionsBy;

    Recovery(World world) {
        this.world = world;
        this.check = new RecoveryCheck(world.knobs.elections, world.judge);
        this.isUnwanted = new boolean[world.knobs.elections];
        this.alive = new @Nullable Liveness[world.knobs.elections];
    }

    void ended(Reign reign, EndReason reason) {
        boolean quiet = world.now > quietAt();
        if (isOn && reign.post.stands && quiet && reason.isStoreTrouble()) {
            world.judge.violated(Invariant.CALM, reign + " ends as '" + reason + "' although nothing is wrong");
        }
        if (isOn && !quiet && Post.coolsDown(reason)) {
            // The reason came before the healing but was found after it: the cool-down begins only now.
            countFrom(Math.max(world.now, healedAt), reign.post.election);
        }
    }

    /** Until when earlier events may end a term, because those forced out or asked to leave may notice late. */
    private long quietAt() {
        long sight = 0;
        for (LeaseTiming timing : world.knobs.timings) {
            sight = Math.max(sight, timing.sightNanos());
        }
        return Math.max(healedAt, world.nemesis.lastForce + slowest(sight)) + slowest(world.knobs.leaseMax());
    }

    /** A duration on the slowest clock, in true time. */
    private long slowest(long nanos) {
        double rate = world.knobs.serverRate;
        for (double each : world.knobs.rates) {
            rate = Math.min(rate, each);
        }
        return (long) Math.ceil(nanos / rate);
    }

    void run() {
        heal();
        Knobs knobs = world.knobs;
        long pause = slowest(knobs.leaseMax()) / 4;
        // Now and then watch long enough to see that all stays as it is, and sessions die.
        boolean stays = world.random.nextInt(12) == 0;
        long stay = stays ? Math.max(sessionsBy, healedAt + 3 * slowest(knobs.leaseMax())) + pause : 0;
        boolean settled = false;
        while (!world.judge.isBroken() && (!settled || world.now < stay)) {
            world.runUntil(world.now + pause);
            settled = look();
        }
    }

    private void heal() {
        isOn = true;
        healedAt = Math.max(world.now, world.network.lastArrival);
        world.nemesis.heal();
        for (Candidate candidate : world.candidates) {
            if (!candidate.isUp && !candidate.isGoneForEver) {
                world.users.begin(candidate);
            }
            for (Post post : candidate.posts) {
                // Stuck work ends with its process and no sooner.
                boolean ends = !post.isStuck() || candidate.isClosing;
                if (candidate.isUp && ends && post.reign != null && post.reign.isEnded && post.reign.isWorking) {
                    WorkStep.end(post.reign);
                }
            }
        }
        sessionsBy = healedAt + slowest(2 * freedMax());
        for (int e = 0; e < world.knobs.elections; e++) {
            countFrom(healedAt, e);
        }
    }

    private void countFrom(long begin, int election) {
        long leaderBy = begin + bound(election);
        check.healed(election, leaderBy, leaderBy + cleanUp());
    }

    /** What the library computes for its users, for the slowest clock and the longest lease, plus what it excepts. */
    private long bound(int election) {
        Knobs knobs = world.knobs;
        long recovery = 0;
        long drain = 0;
        long sight = 0;
        for (LeaseTiming timing : knobs.timings) {
            LeaseTiming.Bounds bounds = timing.bounds(knobs.traits, knobs.isOrdered());
            recovery = Math.max(recovery, bounds.recovery().toNanos());
            drain = Math.max(drain, timing.drainTimeoutNanos());
            sight = Math.max(sight, timing.sightNanos());
        }
        long bound = recovery + drain + 2 * (knobs.delayMax + knobs.wakeLagMax) * 4;
        for (Candidate candidate : world.candidates) {
            if (candidate.isUp && candidate.posts[election].isStuck()) {
                // The lease of work that outlives its budget is held for one more lease, then released.
                bound = Math.max(
                        bound, recovery + 2 * drain + knobs.leaseMax() + 8 * (knobs.delayMax + knobs.wakeLagMax));
            }
        }
        if (knobs.settle != Settle.NEVER) {
            bound += Math.max(4 * knobs.leaseMax(), knobs.settleTimeNanos);
        }
        if (knobs.byHalves && !knobs.kind.isBySession()) {
            // A lease that was taken but whose record was never written blocks the election until it ends.
            bound += knobs.leaseMax();
        }
        bound += world.server.delayedBy();
        if (world.now - world.nemesis.lastForce < slowest(2 * sight)) {
            bound += sight;
        }
        boolean landsLate = knobs.late > 0 || knobs.requestDouble > 0;
        if (knobs.kind.isBySession() && landsLate && someoneStandsNoMore(election)) {
            // An acquire may have landed late under a living session: only its owner's next look finds it.
            bound += sight;
        }
        return slowest(bound) + leastCoolDown(election);
    }

    /**
     * How long until all instances are registered again and all followers list exactly these: the old records must end,
     * a session must be opened, the missing record noticed and written, and a listing must show it.
     */
    private long instancesBound(Service service) {
        Knobs knobs = world.knobs;
        long most = 0;
        for (LeaseTiming timing : knobs.timings) {
            FollowingSettings follows = new FollowingSettings(timing, knobs.kind.expiry(), 1_000);
            long registered = timing.bounds(knobs.traits).recovery().toNanos() + timing.sightNanos();
            long seen = follows.goneNanos(knobs.traits, knobs.leaseMax(), service.pages());
            most = Math.max(most, registered + seen + 8 * (knobs.delayMax + knobs.wakeLagMax));
        }
        return most + 3 * freedMax() + 2 * knobs.leaseMax() + world.server.delayedBy();
    }

    private boolean someoneStandsNoMore(int election) {
        for (Candidate candidate : world.candidates) {
            if (candidate.isUp && !candidate.posts[election].stands) {
                return true;
            }
        }
        return false;
    }

    /** The least cool-down that is left among those that campaign, in true time. */
    private long leastCoolDown(int election) {
        long least = Long.MAX_VALUE;
        for (Candidate candidate : world.candidates) {
            Post post = candidate.isUp ? candidate.posts[election] : null;
            if (post != null && !post.isStuck() && (post.stands || post.standsNext)) {
                long stop = candidate.timing.drainTimeoutNanos() + 2 * candidate.timing.requestTimeoutNanos();
                least = Math.min(least, candidate.clock.trueNanos(post.coolDownMostNanos(stop)));
            }
        }
        return least == Long.MAX_VALUE ? 0 : least;
    }

    /** How much later observers are right and strays are gone. */
    private long cleanUp() {
        long most = 0;
        for (LeaseTiming timing : world.knobs.timings) {
            most = Math.max(most, 3 * timing.recordCheckIntervalNanos() + 10 * timing.requestTimeoutNanos());
        }
        return slowest(most + 2 * freedMax() + 2 * world.knobs.leaseMax());
    }

    private long freedMax() {
        long freed = 0;
        for (Candidate candidate : world.candidates) {
            freed = Math.max(freed, candidate.settings.freedNanos());
        }
        return freed;
    }

    /** Looks at everything; returns whether nothing is left to wait for. */
    private boolean look() {
        boolean settled = world.now >= healedAt;
        for (int e = 0; e < world.knobs.elections && !world.judge.isBroken(); e++) {
            settled &= look(e);
        }
        Service service = world.service;
        if (service != null && !world.judge.isBroken()) {
            settled &= service.look(healedAt, slowest(instancesBound(service)));
        }
        if (settled && !world.judge.isBroken() && world.now > sessionsBy) {
            countSessions();
        }
        for (Candidate candidate : world.candidates) {
            if (candidate.isUp && candidate.isClosing) {
                settled = false;
                if (world.now > Math.max(candidate.closeBy, healedAt + slowest(2 * world.knobs.leaseMax()))) {
                    world.judge.violated(Invariant.ENDING, "candidate " + candidate.index + " does not close");
                }
            }
        }
        return settled;
    }

    /** The store keeps at most one session that a client ever opened. Asking renews, but nothing depends on that. */
    private void countSessions() {
        for (Candidate candidate : world.candidates) {
            int alive = 0;
            for (SimSession session : candidate.sessions.all()) {
                SessionRenewal renewal = world.server.store.renewSession(session.number, world.server.nanos());
                alive += !world.knobs.kind.isJudged() && renewal != SessionRenewal.gone() ? 1 : 0;
            }
            world.works.keeps("candidate " + candidate.index, alive);
        }
    }

    private boolean look(int e) {
        Observation stands = world.server.standing(e);
        Reign leader = world.reign(e);
        Id attempt = stands instanceof Observation.Held held && !held.isForeign()
                ? held.record().attempt()
                : null;
        boolean leads = leader != null && leader.attempt().equals(attempt);
        boolean wanted = false;
        for (Candidate candidate : world.candidates) {
            Post post = candidate.posts[e];
            wanted |= candidate.isUp && !candidate.isClosing && post.stands && !post.isStuck();
        }
        if (wanted && isUnwanted[e]) {
            // Nobody could lead before: the bound counts from here.
            countFrom(world.now, e);
        }
        isUnwanted[e] = !wanted;
        if (leads && leader != null) {
            check.leads(e, leader.term.number(), world.now > quietAt(), world.now);
        } else if (wanted) {
            check.nobodyLeads(e, world.now > quietAt(), world.now);
        }
        if (leads && stands instanceof Observation.Held held && held.record().leave()) {
            check.unclean(
                    e,
                    Invariant.LEFTOVERS,
                    "the leader of election " + e + " was asked to leave and does not",
                    world.now);
            return false;
        }
        boolean left = !leads && isLeftBehind(e, stands);
        boolean settled = leads || !wanted && !left;
        if (left && !wanted) {
            check.unclean(
                    e,
                    Invariant.LEFTOVERS,
                    "a record is left behind in election " + e + " that nobody owns: " + stands,
                    world.now);
        }
        String truth = leads ? "led by " + stands : "vacant";
        for (Candidate candidate : world.candidates) {
            settled &= !candidate.isUp || look(candidate.posts[e], leads ? attempt : null, truth);
        }
        return settled;
    }

    private boolean look(Post post, @Nullable Id leader, String truth) {
        boolean right = !post.stands && !post.observes || isRight(post.told, leader);
        if (!right) {
            check.unclean(
                    post.election,
                    Invariant.VIEW,
                    "candidate " + post.candidate.index + " tells observers of election " + post.election + " '"
                            + post.told + "'; true is '" + truth + "'",
                    world.now);
        }
        boolean answered = post.callbacks.hasAnswered();
        if (!answered) {
            check.unclean(post.election, Invariant.CALLBACKS, "a proclaim was never answered", world.now);
        }
        boolean withdrawn = post.stands || post.callbacks.isSilent() || post.isStuck();
        if (!withdrawn) {
            check.unclean(
                    post.election,
                    Invariant.ENDING,
                    "candidate " + post.candidate.index + " is never withdrawn",
                    world.now);
        }
        return right && answered && withdrawn;
    }

    private static boolean isRight(View told, @Nullable Id leader) {
        if (leader == null) {
            return told.state() == View.State.VACANT;
        }
        Observation.Held held = told.held();
        return told.state() == View.State.LED
                && told.verified()
                && held != null
                && !held.isForeign()
                && held.record().attempt().equals(leader);
    }

    /** Whether a record is left behind. Where observers judge, a record that nobody renews counts as gone. */
    private boolean isLeftBehind(int election, Observation stands) {
        Liveness before = alive[election];
        if (!(stands instanceof Observation.Held held)) {
            alive[election] = null;
            return false;
        }
        alive[election] = held.liveness();
        return !world.knobs.kind.isJudged() || before == null || !before.equals(held.liveness());
    }
}
