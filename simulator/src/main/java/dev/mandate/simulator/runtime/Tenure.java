package dev.mandate.simulator.runtime;

import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.LeadershipLostException;
import dev.mandate.OverrunPolicy;
import dev.mandate.StoreUnavailableException;
import dev.mandate.simulator.check.Claim;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.check.ReasonCheck;
import dev.mandate.simulator.world.Hazard;
import dev.mandate.spi.Id;
import dev.mandate.spi.Observation;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A real {@link Leadership} in the hands of its user, and the user's work. */
final class Tenure implements Claim {
    private static final Id NO_ID = new Id(0, 1);
    private static final long GRACE_NANOS = 300 * RuntimeKnobs.MILLI;

    final Seat seat;
    final Process process;
    final RuntimeWorld world;
    final Leadership leadership;
    final int election;
    private final long number;
    private final long beganAt;
    private final boolean isTask;
    private final long stalledBefore;
    private final Checkup checkup;
    private final long acquiredAt;

    /** How its user wants the task to end. */
    final CompletableFuture<Hazard> wish = new CompletableFuture<>();
    /** Whether its user caused it to end. */
    boolean isCommanded;
    /** Completed when it is over or its work has stopped, whichever comes first. */
    final CompletableFuture<Void> over = new CompletableFuture<>();

    long lastBeatAt;
    boolean isSilent;

    private boolean isWorking = true;
    private boolean isBelieved = true;
    private boolean wasBelieved;
    private boolean isDenied;
    /** Whether its work asked and heard no. */
    private boolean isRefused;

    private long stoppedAt = Long.MAX_VALUE;
    private boolean isTold;
    private boolean isInterrupted;
    /** The true time at which belief ends, as far as is known; once it has ended, when that was. */
    private long stopAt;

    private boolean isEndedEarly;

    Tenure(Seat seat, Leadership leadership, boolean isTask) {
        this.seat = seat;
        this.process = seat.process;
        this.world = process.world;
        this.leadership = leadership;
        this.election = seat.election;
        this.number = leadership.fencingToken().value();
        this.isTask = isTask;
        this.beganAt = world.now();
        this.stopAt = beganAt;
        this.lastBeatAt = beganAt;
        this.stalledBefore = process.stalledNanos();
        this.checkup = seat.checkup();
        this.acquiredAt = seat.acquiredAt();
    }

    /** Its user has it from now on. */
    void begin() {
        world.note(() -> this + " begins");
        world.begun(this);
        boolean isOfRecord = world.server.stood(election, new StoreServer.State(process.name(), number, seat.value));
        if (!isOfRecord) {
            world.judge.violated(
                    Invariant.VALUE, this + " begins, but no record ever carried this number and value " + seat.value);
        }
        leadership.ended().whenComplete((reason, failure) -> told(reason));
    }

    // ---- after every event ----

    /** Asks for its validity and checks it; returns whether it can be forgotten. */
    boolean look() {
        isBelieved = ask();
        if (isBelieved) {
            wasBelieved = true;
            if (isDenied && !world.knobs.asks) {
                // Only isValid() ends it for good; without it, a renewal confirmed meanwhile counts.
                isDenied = false;
            }
            if (isDenied) {
                world.judge.violated(Invariant.REVIVAL, this + " is valid again after it was not");
            }
            if (world.now() > process.closedAt) {
                world.judge.violated(Invariant.SILENCE, this + " is valid after close() came back");
            }
            stopAt =
                    world.now() + process.clock.trueNanos(leadership.remaining().toNanos());
            return false;
        }
        if (!isDenied) {
            isDenied = true;
            // If it was over before it was handed over, it may have ended in any way.
            isEndedEarly = stopAt > world.now() || !wasBelieved;
            stopAt = Math.min(stopAt, world.now());
            if (isWorking) {
                world.mishaps().drains(process);
            }
        }
        if (process.isFrozen) {
            return false;
        }
        long grace = process.clock.trueNanos(GRACE_NANOS) + 20 * world.knobs.wakeLagMax;
        // If it ended before its time, the loop or a user ended it and may have been stalled right afterwards.
        long heldUp = isEndedEarly ? process.stalledUntil() : process.disturbedUntil();
        long late = world.now() - Math.max(stopAt, heldUp);
        if (late > grace) {
            if (!isTold) {
                world.judge.violated(
                        Invariant.DEADLINE, this + " is over, and nobody was told " + late / 1000 + " us later");
            } else if (isTask && isWorking && !isInterrupted && !checkup.isInside()) {
                world.judge.violated(
                        Invariant.DEADLINE,
                        this + " is over, and its task was not interrupted " + late / 1000 + " us later");
            }
        }
        lookForOverrun(grace);
        return isTold && !isWorking;
    }

    private boolean ask() {
        return world.knobs.asks ? leadership.isValid() : !leadership.remaining().isZero();
    }

    private void lookForOverrun(long grace) {
        if (!isWorking || process.isClosing || seat.overrunReportedAt(number) != null) {
            return;
        }
        boolean isHalt = world.knobs.overrun == OverrunPolicy.HALT;
        long heldUp = isHalt && !isEndedEarly ? process.disturbedUntil() : process.stalledUntil();
        // Its budget counts from when the loop hears of the end, on a clock that stops during a suspension. No budget
        // is left after a suspension longer than the lease.
        long budget = process.sleptThroughALease(stopAt) ? 0 : deadline() - stopAt;
        long late = world.now() - (Math.max(stopAt, heldUp) + budget);
        if (late > grace) {
            world.judge.violated(
                    Invariant.OVERRUN,
                    this + " works " + late / 1000 + " us beyond its deadline, "
                            + (isHalt ? "and nothing halts" : "unreported"));
        }
    }

    private long deadline() {
        return stopAt + process.clock.trueNanos(world.knobs.timing.drainTimeoutNanos());
    }

    // ---- what its user is told ----

    private void told(EndReason reason) {
        process.isolated("lost()");
        world.note(() -> this + " is told: " + reason);
        world.mix(reason.ordinal() + 7 * number);
        if (isTold) {
            world.judge.violated(Invariant.CALLBACKS, this + " is told twice that it is over");
        }
        isTold = true;
        over.complete(null);
        boolean isValid = world.quietly(leadership::isValid);
        if (isValid) {
            world.judge.violated(Invariant.REASON, this + " is told that it is over, and is valid");
        }
        judge(reason);
        seat.lost(this);
    }

    private void judge(EndReason reason) {
        boolean isSilentTooLong =
                isSilent || process.stalledUntil() >= beganAt || world.now() - lastBeatAt >= seat.silenceNanos() / 2;
        boolean isJustified = switch (reason) {
            case STALLED -> isSilentTooLong;
            case UNHEALTHY -> checkup.isReasonToEnd(acquiredAt);
            case WITHDRAWN -> !seat.isInGrace();
            default -> true;
        };
        if (!isJustified) {
            world.judge.violated(Invariant.REASON, this + " ends as '" + reason + "', which is not so");
        }
        if (reason.isWorkTrouble() && (reason != EndReason.FAILED || process.hasFailed())) {
            return;
        }
        boolean stands = world.server.standing(election) instanceof Observation.Held held && held.term() == number;
        world.reasons.ended(
                toString(),
                reason,
                new ReasonCheck.Truth(
                        isCommanded || !seat.isWanted,
                        !wasBelieved || isDenied,
                        stands,
                        // When the store said so is not known here.
                        true,
                        world.wasAskedToLeave(election, number),
                        process.clock.trueNanos(world.knobs.timing.sightNanos())
                                <= world.now() - beganAt + 4 * world.knobs.leaseNanos() + process.stalledNanos()));
    }

    // ---- what its user does ----

    /** The work acts: it asks, and writes to a resource that its token guards. */
    void act() {
        // Asking only for the remaining time ends nothing; see look().
        boolean refusedBefore = world.knobs.asks ? isDenied : isRefused;
        boolean isValid = leadership.isValid();
        if (isValid && refusedBefore) {
            world.judge.violated(Invariant.REVIVAL, this + " is valid again after it was not");
        }
        isRefused |= !isValid;
        if (isValid) {
            try {
                leadership.ensureValid();
            } catch (LeadershipLostException e) {
                // It has just ended.
            }
        }
        world.quietly(() -> {
            boolean now = isBelieved() && !isExcused();
            return world.fences.write(election, number, now);
        });
        if (seat.hasHeartbeat() && !isSilent) {
            leadership.reportProgress();
            lastBeatAt = world.now();
        }
    }

    /** Publishes a value and waits until it is confirmed. */
    void proclaim(String value) {
        world.fired(Hazard.PROCLAIMED);
        // If several values are published at once, any may reach the loop last and be written.
        Set<String> besides = seat.publishes(value);
        try {
            leadership.proclaim(value);
        } catch (LeadershipLostException | StoreUnavailableException e) {
            return;
        } finally {
            seat.published(value);
        }
        if (!seat.hasStood(number, value) && besides.stream().noneMatch(other -> seat.hasStood(number, other))) {
            world.judge.violated(
                    Invariant.VALUE, this + " was told that its value " + value + " is confirmed, but it never stood");
        }
    }

    void interrupted() {
        isInterrupted = true;
    }

    void stopped() {
        isWorking = false;
        over.complete(null);
        stoppedAt = world.now();
        world.note(() -> "the work of " + this + " has stopped");
    }

    /** Whether its work outlives its term, or did moments ago. */
    boolean overruns() {
        return !isBelieved()
                && (isWorking || world.now() - stoppedAt < GRACE_NANOS || process.stalledUntil() >= stoppedAt);
    }

    /** Whether policy lets its lease go although its work runs. */
    boolean isCovered() {
        if (world.knobs.overrun == OverrunPolicy.HOLD) {
            return false;
        }
        Long reportedAt = seat.overrunReportedAt(number);
        // An overrun is found a moment before it is reported, or long before if the loop was stalled in between.
        long held = reportedAt == null ? 0 : world.now() - reportedAt + GRACE_NANOS;
        return held + process.stalledNanos() - stalledBefore >= process.clock.trueNanos(world.knobs.leaseNanos());
    }

    // ---- for the checkers ----

    @Override
    public int candidate() {
        return process.index;
    }

    @Override
    public long term() {
        return number;
    }

    @Override
    public Id attempt() {
        return NO_ID;
    }

    @Override
    public boolean isBelieved() {
        return process.isUp && world.quietly(this::ask);
    }

    @Override
    public boolean isEnded() {
        return isTold;
    }

    @Override
    public boolean isExcused() {
        return world.isExcused(election, number, process.stalledNanos() - stalledBefore);
    }

    /** Whether its work may run beside another term because it was forced out moments ago. */
    @Override
    public boolean isWorkExcused() {
        return isExcused();
    }

    @Override
    public boolean isWorking() {
        return isWorking && process.isUp;
    }

    @Override
    public boolean isOverrun() {
        return isDenied && world.now() >= deadline();
    }

    @Override
    public String toString() {
        return "term " + number + " of " + process + " in election " + election;
    }
}
