package dev.mandate.simulator.world;

import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.SplittableRandom;

/** Breaks things at planned times, and mends them. */
final class Nemesis {
    /** How often the clocks of a running machine are read. */
    private static final long LOOK_NANOS = Knobs.SECOND / 4;

    private final World world;
    private final SplittableRandom random;
    private final Fault[] kinds;
    private boolean isOver;
    /** The true time of the last act that a leader notices only when it looks. */
    long lastForce = Long.MIN_VALUE / 2;

    Nemesis(World world) {
        this.world = world;
        this.random = world.random;
        this.kinds = world.knobs.nemesis.toArray(new Fault[0]);
    }

    void plan() {
        for (int i = 0; i < world.knobs.nemesisSteps; i++) {
            Fault kind = kinds[random.nextInt(kinds.length)];
            world.queue.put(new PlanStep(w -> act(kind), kind), random.nextLong(world.knobs.horizonNanos));
        }
    }

    private void later(long delay, Fault what, Runnable mend) {
        world.queue.put(new PlanStep(w -> mend.run(), what + " is over"), world.now + delay);
    }

    /** From a tenth of a lease to just over three leases. */
    private long spell() {
        long lease = world.knobs.timings[0].leaseNanos();
        return lease / 10 + (long) (random.nextDouble() * random.nextDouble() * 3 * lease);
    }

    private void act(Fault kind) {
        if (isOver) {
            return;
        }
        Candidate any = world.candidates[random.nextInt(world.candidates.length)];
        int election = random.nextInt(world.knobs.elections);
        // Prefers leaders, because there is more to break.
        Candidate hit = random.nextInt(3) > 0 ? world.leader(election, any) : any;
        if (kind.isForce()) {
            lastForce = world.now;
        }
        boolean done = switch (kind) {
            case CUT, CUT_REQUESTS, CUT_ANSWERS -> cut(hit, kind);
            case CUT_READS -> blind(hit);
            case CUT_WRITES -> mute(hit);
            case OUTAGE -> outage();
            case REFUSING -> refuse(hit);
            case PAUSE, SUSPENSION -> freeze(hit, kind == Fault.SUSPENSION);
            case CRASH -> crash(hit);
            case WALL_AHEAD -> wallAhead(hit);
            case WALL_BACK -> wallBack(hit);
            case SERVER_WALL_BACK -> serverWallBack();
            case SERVER_CLOCK_STEP -> world.server.stepClock(random);
            case WATCH_GAP -> gap(any);
            case ASKED_TO_LEAVE -> askToLeave(election);
            case OVERWRITTEN -> overwrite(election);
            default -> world.server.force(election, kind);
        };
        if (done) {
            world.fired(kind);
        }
    }

    private boolean cut(Candidate hit, Fault kind) {
        hit.isCutOut |= kind != Fault.CUT_ANSWERS;
        hit.isCutIn |= kind != Fault.CUT_REQUESTS;
        later(world.knobs.aim.isClockPair() ? 2 * world.knobs.leaseMax() : spell(), kind, () -> {
            hit.isCutOut = false;
            hit.isCutIn = false;
        });
        return true;
    }

    /** Long enough that no leader may go on unseen. */
    private boolean blind(Candidate hit) {
        hit.isBlind = true;
        long most = Math.min(4 * hit.timing.sightNanos(), 60 * Knobs.SECOND);
        later(random.nextLong(most), Fault.CUT_READS, () -> hit.isBlind = false);
        return true;
    }

    private boolean mute(Candidate hit) {
        hit.isMute = true;
        later(spell(), Fault.CUT_WRITES, () -> hit.isMute = false);
        return true;
    }

    private boolean outage() {
        world.network.isOut = true;
        later(spell(), Fault.OUTAGE, () -> world.network.isOut = false);
        return true;
    }

    private boolean refuse(Candidate hit) {
        // Refused requests are retried seldom, so the refusal must be over well before the end.
        long spell = spell();
        boolean inTime = world.now + spell + 3 * world.knobs.leaseMax() < world.knobs.horizonNanos;
        if (inTime) {
            hit.isRefused = true;
            later(spell, Fault.REFUSING, () -> hit.isRefused = false);
        }
        return inTime;
    }

    private boolean freeze(Candidate hit, boolean suspended) {
        if (hit.isFrozen || !hit.isUp || suspended && hit.noSuspensionBefore > world.now) {
            return false;
        }
        long spell = spell();
        if (suspended && hit.clock.estimates()) {
            // The docs exclude this case where the time since boot is an estimate.
            hit.noStepBackBefore = world.now + spell + LOOK_NANOS;
        }
        hit.freeze(suspended);
        boolean timersFirst = random.nextBoolean();
        boolean dropped = random.nextBoolean();
        int epoch = hit.epoch;
        later(spell, suspended ? Fault.SUSPENSION : Fault.PAUSE, () -> {
            if (hit.isFrozen && hit.epoch == epoch) {
                hit.thaw(timersFirst, dropped);
            }
        });
        return true;
    }

    private boolean wallAhead(Candidate hit) {
        hit.clock.step(random.nextLong(2 * world.knobs.leaseMax()), world.now);
        hit.steppedAheadAt = world.now;
        return true;
    }

    private boolean serverWallBack() {
        world.server.clock.step(-random.nextLong(2 * world.knobs.leaseMax()), world.now);
        return true;
    }

    private boolean wallBack(Candidate hit) {
        boolean allowed = hit.noStepBackBefore <= world.now;
        if (allowed) {
            hit.noSuspensionBefore = hit.clock.estimates() ? world.now + LOOK_NANOS : Long.MIN_VALUE;
            hit.clock.step(-random.nextLong(3 * world.knobs.leaseMax()), world.now);
        }
        return allowed;
    }

    private boolean crash(Candidate hit) {
        boolean wasUp = hit.isUp;
        if (wasUp) {
            hit.crash();
            world.users.restartLater(hit);
        }
        return wasUp;
    }

    private boolean gap(Candidate hit) {
        boolean runs = hit.isUp && !hit.isFrozen;
        if (runs) {
            hit.gap();
        }
        return runs;
    }

    private boolean askToLeave(int election) {
        Observation seen = world.server.standing(election);
        if (!(seen instanceof Observation.Held held)
                || held.isForeign()
                || held.record().leave()) {
            return false;
        }
        // The request may take long, but is conditional on what was seen.
        long delay = random.nextInt(3) == 0 ? spell() : 0;
        later(delay, Fault.ASKED_TO_LEAVE, () -> {
            lastForce = world.now;
            world.server.askToLeave(election, held);
        });
        return true;
    }

    private boolean overwrite(int election) {
        long lease = spell();
        boolean forEver = random.nextInt(3) == 0;
        world.server.overwrite(election, forEver ? null : Duration.ofNanos(lease));
        if (forEver && !world.knobs.kind.isJudged()) {
            later(spell(), Fault.OVERWRITTEN, () -> world.server.removeForeign(election));
        }
        return true;
    }

    /** Ends all faults and mends everything. */
    void heal() {
        isOver = true;
        world.network.heal();
        for (Candidate candidate : world.candidates) {
            candidate.isCutIn = false;
            candidate.isCutOut = false;
            candidate.isBlind = false;
            candidate.isMute = false;
            candidate.isRefused = false;
            candidate.isDenied = false;
            if (candidate.isFrozen) {
                candidate.thaw(true, false);
            }
        }
        for (int e = 0; e < world.knobs.elections; e++) {
            world.server.removeForeign(e);
        }
    }
}
