package dev.mandate.simulator.groups;

import dev.mandate.EndReason;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.View;
import dev.mandate.peers.order.OrderMessage;
import dev.mandate.peers.register.VoterStatus;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.check.RecoveryCheck;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.StoreTraits;

/**
 * The second half of a schedule: all faults are healed; somebody must lead in time, and everybody must know.
 *
 * <p>A leader is found within <em>quarantine + joining + recovery + cool-down</em>:
 *
 * <ul>
 *   <li><em>quarantine</em>: what is left of the longest one. Until then there may be no majority.
 *   <li><em>joining</em>: members with a file ask once and write once; then those without do the same: twice an
 *       interval of asking, an answer and two writes.
 *   <li><em>recovery</em>: {@link LeaseTiming.Bounds#recovery()}, failover and retries, for the slowest candidate.
 *   <li><em>cool-down</em>: what is left of it for the first candidate that campaigns.
 * </ul>
 */
final class GroupHealing {
    private static final StoreTraits TRAITS =
            StoreTraits.of("a group", Expiry.OBSERVER_JUDGES, LeaseScope.RECORD).withWatch(true);

    private final GroupWorld world;
    private final RecoveryCheck check;
    /** By election: the newest term that was asked to leave by the candidate that gives up when all is healed. */
    private final long[] askedToLeave;

    private long healedAt;
    private long quietAt = Long.MAX_VALUE;

    GroupHealing(GroupWorld world) {
        this.world = world;
        this.check = new RecoveryCheck(world.knobs.elections, world.judge);
        this.askedToLeave = new long[world.knobs.elections];
    }

    /** {@code from} asks a lower leader to leave. */
    void asks(Member from, OrderMessage.Preempt request) {
        if (from.index == world.knobs.tooLong) {
            askedToLeave[GroupWorld.election(request.key())] = request.term();
        }
    }

    void ended(GroupReign reign, EndReason reason) {
        if (world.isHealed && world.now > quietAt && reason.isStoreTrouble()) {
            world.judge.violated(Invariant.CALM, reign + " ends as '" + reason + "' although nothing is wrong");
        }
        // The request was still under way when its sender gave up: it costs a term and a cool-down.
        if (world.isHealed && reason == EndReason.EVICTED && reign.term() == askedToLeave[reign.election]) {
            countFromHere();
        }
    }

    void run() {
        heal();
        long pause = world.knobs.lease / 4;
        boolean stays = world.random.nextInt(12) == 0;
        long stay = stays ? quietAt + world.knobs.lease : 0;
        boolean settled = false;
        while (!world.judge.isBroken() && (!settled || world.now < stay)) {
            // A majority may find out only now that its files are old.
            if (world.mishaps.isStuck()) {
                world.mishaps.startAnew();
                countFromHere();
            }
            world.runUntil(world.now + pause);
            settled = look();
        }
    }

    private void heal() {
        world.note("all is healed");
        GroupKnobs knobs = world.knobs;
        world.isHealed = true;
        knobs.heal();
        world.links.heal();
        for (Member member : world.members) {
            member.disk.failsUntil = 0;
            member.disk.slowUntil = 0;
            member.lateUntil = 0;
        }
        for (Member member : world.members) {
            if (!member.isUp) {
                member.start();
            } else if (member.isPaused) {
                member.resume();
            }
            for (Post post : member.client.posts) {
                member.run(() -> {
                    if (member.index == knobs.tooLong) {
                        member.client.withdraw(post);
                    } else {
                        member.client.campaign(post);
                    }
                });
            }
        }
        countFromHere();
    }

    private void countFromHere() {
        GroupKnobs knobs = world.knobs;
        // Links come up late at most.
        healedAt = Math.max(world.now, world.links.lastAt) + knobs.lease / 4 + knobs.delayMax;
        long leaderBy = healedAt + bound();
        long poll = 0;
        for (Member member : world.members) {
            LeaseTiming timing = member.client.timing;
            poll = Math.max(poll, 3 * timing.pollIntervalNanos() + 6 * timing.requestTimeoutNanos());
        }
        long last = 0;
        for (int e = 0; e < knobs.elections; e++) {
            long cooled = leaderBy + coolNanos(e);
            last = Math.max(last, cooled);
            check.healed(e, cooled, cooled + poll + 2 * knobs.lease);
        }
        quietAt = last + knobs.lease;
    }

    /** How long until the first candidate that may lead has cooled down. */
    private long coolNanos(int election) {
        long cool = Long.MAX_VALUE;
        for (Member member : world.members) {
            if (member.index != world.knobs.tooLong) {
                cool = Math.min(cool, Math.max(0, member.client.posts[election].coolUntil() - world.now));
            }
        }
        return cool;
    }

    private long bound() {
        GroupKnobs knobs = world.knobs;
        long quarantine = 0;
        for (Member member : world.members) {
            VoterStatus status = member.status();
            quarantine = Math.max(quarantine, status == null ? 0 : status.quarantineLeftNanos());
        }
        long joining = 2 * (knobs.joinNanos + 2 * (knobs.delayMax + knobs.wakeLagMax) + 2 * knobs.diskMax);
        long recovery = 0;
        long drain = 0;
        for (int i = 0; i < knobs.timings.length; i++) {
            if (i != knobs.tooLong) {
                LeaseTiming.Bounds bounds = knobs.timings[i].bounds(TRAITS, knobs.scheme.isOrdered());
                recovery = Math.max(recovery, bounds.recovery().toNanos());
                drain = Math.max(drain, knobs.timings[i].drainTimeoutNanos());
            }
        }
        return quarantine + joining + recovery + drain + 8 * (knobs.delayMax + knobs.wakeLagMax);
    }

    private boolean look() {
        boolean settled = world.now >= healedAt;
        boolean preempts = world.knobs.scheme == Scheme.PREEMPTING_BULLY;
        for (int e = 0; e < world.knobs.elections && !world.judge.isBroken(); e++) {
            GroupReign leader = world.reign(e);
            boolean quiet = world.now > quietAt && !preempts;
            if (leader == null) {
                check.nobodyLeads(e, quiet, world.now);
                settled = false;
                continue;
            }
            check.leads(e, leader.term(), quiet, world.now);
            for (Member member : world.members) {
                settled &= !member.client.posts[e].stands || isRight(member, e, leader.attempt());
            }
        }
        return settled;
    }

    private boolean isRight(Member member, int election, Id leader) {
        View told = member.client.posts[election].told;
        Observation.Held held = told.held();
        boolean right = told.state() == View.State.LED && held != null && held.isAttempt(leader);
        if (!right) {
            check.unclean(
                    election,
                    Invariant.VIEW,
                    member + " tells observers of election " + election + " '" + told + "', not who leads",
                    world.now);
        }
        return right;
    }
}
