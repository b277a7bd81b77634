package dev.mandate.simulator.world;

import dev.mandate.engine.FollowingSettings;
import dev.mandate.engine.Now;
import dev.mandate.simulator.check.ArrivalCheck;
import dev.mandate.spi.Id;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * All is well and candidates queue: the leader of the first election resigns again and again; before that, a waiting
 * candidate may lose its place or its process. The one that has waited longest must lead next, without a wait.
 */
final class CalmRounds {
    private final World world;
    private final int rounds;
    private final SplittableRandom random;
    private final RecordKey election = World.key(0);
    private final ArrivalCheck check;
    /** From now on, a candidate that takes a place has seen all earlier places. */
    private long calmSince;

    CalmRounds(World world, int rounds) {
        this.world = world;
        this.rounds = rounds;
        this.check = new ArrivalCheck(world.judge);
        this.random = new SplittableRandom(world.random.nextLong());
    }

    void run() {
        if (!isExact()) {
            return;
        }
        world.runUntil(Math.max(world.now, world.network.lastArrival) + goneMost());
        for (int i = 0; i < rounds && !world.judge.isBroken(); i++) {
            world.runUntil(world.now + spell());
            calmSince = i == 0 ? world.now : calmSince;
            round();
        }
    }

    /** Whether all changes reach everybody in much less than a step. */
    private boolean isExact() {
        Knobs knobs = world.knobs;
        return knobs.watch
                && !knobs.watchSaysOnlyThatSomethingChanged
                && knobs.elections == 1
                && 6 * knobs.delayMax + 2 * knobs.wakeLagMax < stepMin() / 2;
    }

    /** How long a place that is gone may stay in a list, where a hint shows it that came late. */
    private long goneMost() {
        Knobs knobs = world.knobs;
        int pages = 2 + knobs.candidates() / knobs.pageSize;
        long most = 0;
        for (Candidate candidate : world.candidates) {
            FollowingSettings follows = new FollowingSettings(candidate.timing, knobs.kind.expiry(), 1_000);
            long gone = follows.goneNanos(knobs.traits, knobs.leaseMax(), pages);
            most = Math.max(most, candidate.clock.trueNanos(gone));
        }
        return most;
    }

    /** Long enough to notice every lease that ended, and for every pause to end. */
    private long spell() {
        double rate = world.knobs.serverRate;
        long longest = 0;
        for (Candidate candidate : world.candidates) {
            rate = Math.min(rate, candidate.clock.rate());
            longest = Math.max(
                    longest,
                    candidate.settings.freedNanos()
                            + candidate.timing.coolDownNanos(1)
                            + candidate.timing.faultRetryNanos());
        }
        return (long) (2 * longest / rate);
    }

    private void round() {
        List<Candidate> waiting = waiting();
        if (!waiting.isEmpty()) {
            disturb(waiting.get(random.nextInt(waiting.size())));
        }
        if (random.nextInt(3) == 0) {
            bar();
        }
        world.runUntil(world.now + spell());
        Reign led = world.reign(0);
        if (led == null || world.judge.isBroken()) {
            return;
        }
        int dead = random.nextInt(3) == 0 ? kill() : 0;
        List<Lines.Place> places = places();
        if (led.isEnded || places.isEmpty() || isAnyPausing() || world.judge.isBroken()) {
            return;
        }
        world.users.resign(led.post, led.term.number());
        RecordKey next = next(led.attempt(), dead, places);
        if (next != null && !world.judge.isBroken()) {
            judge(next, places);
        }
    }

    /** Whether anyone pauses, for at most a poll, because it took a holder for dead and was refused. */
    private boolean isAnyPausing() {
        for (Candidate candidate : waiting()) {
            Now tried = candidate.posts[0].attemptSent;
            if (tried != null
                    && candidate.get().monotonicNanos() - tried.monotonicNanos()
                            < candidate.timing.pollIntervalNanos()) {
                return true;
            }
        }
        return false;
    }

    /** One candidate restarts and has no right to a place. */
    private void bar() {
        List<Candidate> waiting = waiting();
        if (waiting.size() > 2) {
            Candidate hit = waiting.get(random.nextInt(waiting.size()));
            hit.isBarred = true;
            hit.crash();
            world.users.restartLater(hit);
        }
    }

    /** Kills the first in the queue, whose place remains; returns how many places now have no owner. */
    private int kill() {
        List<Lines.Place> places = places();
        // If steps differ in length, two of one candidate may be shorter than one of another.
        if (stepMax() + stepMin() / 2 > 2 * stepMin() || places.size() < 2) {
            return 0;
        }
        for (Candidate candidate : waiting()) {
            if (place(candidate).equals(places.get(0).key())) {
                candidate.crash();
                world.users.restartLater(candidate);
            }
        }
        return 1;
    }

    private void disturb(Candidate hit) {
        RecordKey place = place(hit);
        switch (random.nextInt(4)) {
            case 0 -> world.server.endLease(place);
            case 1 -> world.server.deleteInstance(place);
            case 2 -> {
                hit.crash();
                world.users.restartLater(hit);
            }
            default -> {}
        }
    }

    private RecordKey place(Candidate candidate) {
        return RecordKey.place(election.name(), candidate.settings.incarnation());
    }

    /** The candidates that wait and could lead. */
    private List<Candidate> waiting() {
        List<Candidate> found = new ArrayList<>();
        for (Candidate candidate : world.candidates) {
            boolean waits = candidate.isUp
                    && !candidate.isClosing
                    && candidate.machine.status(election, candidate.get())
                            == dev.mandate.CandidacyStatus.State.FOLLOWING;
            if (waits) {
                found.add(candidate);
            }
        }
        return found;
    }

    /** The places of those that wait and could lead, the oldest first. */
    private List<Lines.Place> places() {
        List<RecordKey> keys = waiting().stream().map(this::place).toList();
        List<Lines.Place> found = world.lines.of(election);
        found.removeIf(place -> !keys.contains(place.key()));
        found.sort(Comparator.comparingLong(Lines.Place::since));
        return found;
    }

    /**
     * The key of the place of the next holder; null if nobody leads next within a lease, the record was not released,
     * or an outdated look misled a candidate.
     *
     * @param dead how many places in front of all others have no owner
     */
    private @Nullable RecordKey next(Id former, int dead, List<Lines.Place> places) {
        long begun = world.now;
        while (world.now < begun + world.knobs.leaseMax() && !world.judge.isBroken()) {
            world.runUntil(world.now + stepMin() / 20);
            if (world.misledAt >= begun) {
                return null;
            }
            Observation seen = world.server.standing(0);
            long releasedAt = world.server.releasedAt;
            if (!(seen instanceof Observation.Held held)) {
                if (releasedAt >= begun) {
                    check.nobodyLeads(world.now - releasedAt, dead * stepMax() + stepMin() / 2);
                }
                if (releasedAt >= begun && dead > 0 && places.size() > 2 && random.nextInt(4) == 0) {
                    // The end of the queue goes on changing.
                    world.server.deleteInstance(places.get(places.size() - 1).key());
                }
            } else if (!held.isAttempt(former)) {
                // Where observers judge, the first to notice a silence may win.
                Post post = releasedAt >= begun ? world.holder(0, held) : null;
                return post == null ? null : place(post.candidate);
            }
        }
        return null;
    }

    private long stepMin() {
        long least = Long.MAX_VALUE;
        for (Candidate candidate : world.candidates) {
            least = Math.min(least, candidate.clock.trueNanos(candidate.timing.stepNanos()));
        }
        return least;
    }

    private long stepMax() {
        long most = 0;
        for (Candidate candidate : world.candidates) {
            most = Math.max(most, candidate.clock.trueNanos(candidate.timing.stepNanos()));
        }
        return most;
    }

    /** Checks the order of {@code places}, those that could lead when the leader resigned. */
    private void judge(RecordKey next, List<Lines.Place> places) {
        // Some stores count terms; elsewhere, a place is numbered after the last one heard of or listed.
        boolean isByTerm = world.knobs.traits.ordersTerms();
        long numberedFrom = world.knobs.listsVaguely() ? Long.MAX_VALUE : calmSince;
        world.coverage.followedInTurn();
        check.leads(
                next.name(),
                places.stream()
                        .map(place -> new ArrivalCheck.Place(place.key().name(), place.since()))
                        .toList(),
                isByTerm ? 0 : 4 * (world.knobs.delayMax + world.knobs.wakeLagMax),
                isByTerm ? Long.MIN_VALUE : numberedFrom);
    }
}
