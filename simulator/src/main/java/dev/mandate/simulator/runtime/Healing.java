package dev.mandate.simulator.runtime;

import dev.mandate.Settle;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.check.RecoveryCheck;
import dev.mandate.spi.Observation;
import org.jspecify.annotations.Nullable;

/** The end of a schedule: within bounds, somebody must lead, everybody must know, and nothing may be left over. */
final class Healing {
    private final RuntimeWorld world;
    private final RecoveryCheck check;
    private long healedAt;
    private long stayUntil;

    Healing(RuntimeWorld world) {
        this.world = world;
        this.check = new RecoveryCheck(world.knobs.elections, world.judge);
    }

    void begin() {
        RuntimeKnobs knobs = world.knobs;
        world.mishaps().heal();
        // Work that overruns takes at most two leases and its drain budget, and a restart as long again.
        healedAt = world.heal() + world.slowest(4 * knobs.leaseNanos());
        LeaseTiming timing = knobs.timing;
        LeaseTiming.Bounds bounds = timing.bounds(knobs.traits);
        long bound = bounds.recovery().toNanos()
                + timing.drainTimeoutNanos()
                + timing.coolDownNanos(Integer.MAX_VALUE)
                + 2 * timing.requestTimeoutNanos()
                + timing.sightNanos()
                + knobs.leaseNanos()
                + 10 * (knobs.delayMax + knobs.wakeLagMax);
        if (knobs.settle != Settle.NEVER) {
            bound += 4 * knobs.leaseNanos();
        }
        long leaderBy = healedAt + world.slowest(bound);
        long cleanBy = leaderBy
                + world.slowest(4 * timing.recordCheckIntervalNanos()
                        + 10 * timing.requestTimeoutNanos()
                        + 6 * knobs.leaseNanos());
        for (int e = 0; e < knobs.elections; e++) {
            check.healed(e, leaderBy, cleanBy);
        }
        stayUntil = world.random.nextInt(12) == 0 ? leaderBy + world.slowest(2 * knobs.leaseNanos()) : 0;
        next();
    }

    private void next() {
        world.put(world.now() + world.knobs.leaseNanos() / 4, null, "look", this::look);
    }

    private void look() {
        boolean isSettled = true;
        for (int e = 0; e < world.knobs.elections; e++) {
            isSettled &= look(e);
        }
        for (Process process : world.processes) {
            isSettled &= process.isUp && !process.isClosing;
        }
        if (isSettled && world.now() >= stayUntil) {
            world.end();
        } else {
            next();
        }
    }

    /** Whether nothing that happened before the healing may end a term any more. */
    private boolean isQuiet() {
        long sight = world.slowest(world.knobs.timing.sightNanos());
        return world.now()
                > Math.max(healedAt, world.mishaps().lastForce + sight) + world.slowest(world.knobs.leaseNanos());
    }

    private boolean look(int e) {
        Observation stands = world.server.standing(e);
        Tenure leader = world.leader(e);
        boolean leads = leader != null && stands instanceof Observation.Held held && held.term() == leader.term();
        boolean isWanted = false;
        for (Process process : world.processes) {
            isWanted |= process.isUp && !process.isClosing && process.seats[e].stands;
        }
        if (leads && leader != null) {
            check.leads(e, leader.term(), isQuiet(), world.now());
        } else if (isWanted) {
            check.nobodyLeads(e, isQuiet(), world.now());
        }
        boolean isSettled = leads || !isWanted;
        for (Process process : world.processes) {
            isSettled &= !process.isUp || look(process.seats[e], leads ? leader : null);
        }
        return isSettled;
    }

    private boolean hears(Seat seat, @Nullable Tenure own) {
        RoleEar ear = seat.roleEar();
        boolean isRight = ear == null || ear.isRight(own);
        if (!isRight && ear != null) {
            check.unclean(
                    seat.election,
                    Invariant.VIEW,
                    seat.process + "'s listener of its candidacy in election " + seat.election + " was told "
                            + ear.told() + "; it leads with " + own,
                    world.now());
        }
        return isRight;
    }

    private boolean look(Seat seat, @Nullable Tenure leader) {
        Ear ear = seat.ear();
        boolean isRight = ear == null || ear.isRight(leader);
        if (!isRight && ear != null) {
            check.unclean(
                    seat.election,
                    Invariant.VIEW,
                    seat.process + "'s listener of election " + seat.election + " was told " + ear.told() + "; true is "
                            + leader,
                    world.now());
        }
        Tenure last = seat.tenure();
        boolean hasEnded = last == null || last.isWorking() || last.isEnded();
        return isRight && hears(seat, leader != null && leader == last ? leader : null) && hasEnded;
    }
}
