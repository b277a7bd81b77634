package dev.mandate.simulator.world;

import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.Observation;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Carries requests, answers and hints; it loses, delays, duplicates and reorders them. */
final class Network {
    private final World world;
    private final Knobs knobs;
    private final SplittableRandom random;
    /** Nobody reaches the server. */
    boolean isOut;
    /** All faults are healed. */
    boolean isHealed;

    private long delayMin;
    private long delayMax;
    /** The true time at which the last message sent so far arrives. */
    long lastArrival;

    Network(World world) {
        this.world = world;
        this.knobs = world.knobs;
        this.random = world.random;
        this.delayMin = knobs.delayMin;
        this.delayMax = knobs.delayMax;
    }

    private boolean chance(double p) {
        return p > 0 && !isHealed && random.nextDouble() < p;
    }

    /** All faults are healed: from now on answers come in time. */
    void heal() {
        isOut = false;
        isHealed = true;
        for (LeaseTiming timing : knobs.timings) {
            delayMax = Math.min(delayMax, timing.requestTimeoutNanos() / 4);
        }
        delayMin = Math.min(delayMin, delayMax);
    }

    private long delay() {
        long delay = delayMin + (long) (random.nextDouble() * (delayMax - delayMin));
        if (knobs.slowMean > 0 && !isHealed) {
            long slow = (long) (-Math.log(1 - random.nextDouble()) * knobs.slowMean);
            if (slow > knobs.delayMax) {
                world.fired(Fault.SLOW);
            }
            delay += slow;
        }
        return delay;
    }

    private void put(Step step, long delay) {
        long at = world.now + delay;
        lastArrival = Math.max(lastArrival, at);
        world.queue.put(step, at);
    }

    /** A request leaves a process. */
    void request(Call call) {
        Candidate from = call.from;
        boolean lost = isOut || from.isCutOut || (call.isLook() ? from.isBlind : from.isMute);
        if (lost && knobs.refusesCalls) {
            world.fired(Fault.CALL_REFUSED);
            put(new Answer(from, call, Answer.FAILED), delay());
            return;
        }
        if (!lost && chance(knobs.requestLoss)) {
            world.fired(Fault.REQUEST_LOST);
            lost = true;
        }
        boolean fails = chance(knobs.failFast);
        if (fails) {
            world.fired(Fault.CALL_FAILED);
            put(new Answer(from, call, Answer.FAILED), delay());
            call.isGivenUp = true;
            goesUnanswered(call);
            // It may take effect all the same.
            lost |= random.nextInt(knobs.failInVain) == 0;
        }
        if (lost) {
            return;
        }
        long delay = delay();
        if (chance(knobs.late)) {
            world.fired(Fault.REQUEST_LATE);
            delay += random.nextLong(knobs.lateMax + 1);
        }
        if (!call.isLook() && chance(knobs.requestDouble)) {
            delay = doubled(call, delay);
        }
        put(call, delay);
    }

    private void goesUnanswered(Call call) {
        if (call.action instanceof ElectionAction.Acquire acquire) {
            world.users.goesUnanswered(call.from, acquire);
        }
    }

    /** Sends a first copy of {@code call} whose answer is lost, if there is time; returns the delay of the second. */
    private long doubled(Call call, long delay) {
        long awaited = call.from.clock.trueNanos(call.from.timing.requestTimeoutNanos() * 9 / 10);
        if (delay >= awaited) {
            return delay;
        }
        world.fired(Fault.REQUEST_DOUBLED);
        Call first = new Call(call.from, call.action, call.request, call.cursor);
        first.isGivenUp = true;
        goesUnanswered(call);
        put(first, delay);
        return delay + random.nextLong(awaited - delay);
    }

    /** The second of two requests, sent once the first was answered. */
    void half(SecondHalf half) {
        put(half, isHealed ? delay() : delay() + delay());
    }

    /** Whether a request of {@code from} reaches the server and is not lost by chance. */
    boolean reaches(Candidate from) {
        return !isOut && !from.isCutOut && !from.isMute && !chance(knobs.requestLoss);
    }

    /** An answer leaves the server. */
    void answer(Call call, Object answer) {
        if (call.isGivenUp || call.fromEpoch != call.from.epoch || isOut || call.from.isCutIn) {
            return;
        }
        if (chance(knobs.answerLoss)) {
            world.fired(Fault.ANSWER_LOST);
            return;
        }
        put(new Answer(call.from, call, answer), delay());
        if (chance(knobs.duplicate)) {
            world.fired(Fault.ANSWER_DOUBLED);
            put(new Answer(call.from, call, answer), delay() + random.nextLong(knobs.timings[0].leaseNanos() / 4));
        }
    }

    /** Tells all watchers of a change. */
    void hint(int election, Observation now) {
        if (isOut) {
            return;
        }
        for (Candidate candidate : world.candidates) {
            if (!candidate.isUp || candidate.isCutIn || candidate.isCutOut) {
                continue;
            }
            if (chance(knobs.hintLoss)) {
                world.fired(Fault.HINT_LOST);
                continue;
            }
            put(new HintStep(candidate, election, now), hintDelay());
            if (chance(knobs.duplicate)) {
                world.fired(Fault.HINT_DOUBLED);
                put(new HintStep(candidate, election, now), hintDelay());
            }
        }
    }

    /** Tells all watchers of the service of a change. */
    void hint(Observation now) {
        hint(candidate -> candidate.registrant, now);
    }

    /** Tells all followers of queues of a change in one. */
    void hintOfQueue(Observation now) {
        hint(candidate -> candidate.waiter, now);
    }

    private void hint(Function<Candidate, FollowerHint.@Nullable Follower> who, Observation now) {
        for (Candidate candidate : world.candidates) {
            FollowerHint.Follower to = who.apply(candidate);
            if (isOut || to == null || !candidate.isUp || candidate.isCutIn || candidate.isCutOut) {
                continue;
            }
            if (chance(knobs.hintLoss)) {
                world.fired(Fault.HINT_LOST);
                continue;
            }
            put(new FollowerHint(candidate, to, now), hintDelay());
            if (chance(knobs.duplicate)) {
                world.fired(Fault.HINT_DOUBLED);
                put(new FollowerHint(candidate, to, now), hintDelay());
            }
        }
    }

    private long hintDelay() {
        if (chance(knobs.hintLate)) {
            world.fired(Fault.HINT_LATE);
            return delay() + random.nextLong(knobs.hintLateMax + 1);
        }
        return delay();
    }
}
