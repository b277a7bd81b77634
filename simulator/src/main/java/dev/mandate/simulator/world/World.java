package dev.mandate.simulator.world;

import dev.mandate.EndReason;
import dev.mandate.engine.Action;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.simulator.check.BeliefCheck;
import dev.mandate.simulator.check.Chronicle;
import dev.mandate.simulator.check.DeadlineCheck;
import dev.mandate.simulator.check.FenceCheck;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.check.Judge;
import dev.mandate.simulator.check.ReasonCheck;
import dev.mandate.simulator.check.Silences;
import dev.mandate.simulator.check.TermCheck;
import dev.mandate.simulator.check.WorkCheck;
import dev.mandate.spi.Id;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One schedule: candidates, a store, a network and a nemesis on virtual time, all decided by one seed. Checkers run
 * after every event; then all is healed, and somebody must lead in time.
 */
public final class World {

    private static final List<RecordKey> KEYS = IntStream.range(0, Character.MAX_RADIX)
            .mapToObj(i -> RecordKey.election("e" + Character.forDigit(i, Character.MAX_RADIX)))
            .toList();
    private static final List<String> NAMES =
            IntStream.range(0, 8).mapToObj(i -> "c" + i).toList();
    /** The prefix of all elections. */
    static final RecordKey ALL = RecordKey.elections();

    private static final long STEPS_MAX = 2_000_000;
    private static final long WALL_START_NANOS = 1_700_000_000L * Knobs.SECOND;

    final SplittableRandom random;
    final Knobs knobs;
    final Coverage coverage;
    final @Nullable Transcript log;
    final Judge judge = new Judge();
    final StepQueue queue = new StepQueue();
    final Server server;
    final Network network;
    final Nemesis nemesis;
    final Users users;
    final @Nullable Order order;
    final @Nullable Service service;
    final Lines lines = new Lines(this);
    final Candidate[] candidates;

    final BeliefCheck beliefs;
    final TermCheck terms;
    final FenceCheck fences;
    final Chronicle chronicle;
    final Silences silences;
    final DeadlineCheck deadlines = new DeadlineCheck(judge);
    final ReasonCheck reasons = new ReasonCheck(judge);
    final WorkCheck works = new WorkCheck(judge);
    private final Recovery recovery;
    /** Announced terms that have not ended, or whose work runs on unreported. */
    private final List<Reign> open = new ArrayList<>(4);

    /** The candidate that began the newest term of each election; -1 for none. */
    private final int[] lastLeader;

    /** True time. */
    long now;

    /**
     * The true time at which an outdated look last misled a candidate: it followed a leader where there was none, or
     * took the holder for dead.
     */
    long misledAt = Long.MIN_VALUE;

    private long steps;
    private long hash;

    /** The world of {@code seed}; {@code log}, if given, records it. */
    public World(long seed, Aim aim, StoreKind kind, Coverage coverage, @Nullable Transcript log) {
        this.random = new SplittableRandom(seed);
        this.knobs = KnobDraw.draw(random, aim, kind);
        knobs.order = OrderKnobs.draw(seed, knobs);
        this.order = knobs.order == null ? null : new Order(this, knobs.order, new SplittableRandom(~seed));
        this.knobs.queue = QueueKnobs.draw(seed, knobs);
        this.knobs.service = ServiceKnobs.draw(seed, knobs);
        this.coverage = coverage;
        this.log = log;
        this.service =
                knobs.service == null ? null : new Service(this, knobs.service, new SplittableRandom(seed * 31 + 7));
        this.server = new Server(this, new Clock(knobs.serverRate, 0, WALL_START_NANOS, false));
        this.network = new Network(this);
        this.nemesis = new Nemesis(this);
        this.users = new Users(this);
        this.beliefs = new BeliefCheck(knobs.elections, judge);
        this.terms = new TermCheck(knobs.elections, judge);
        this.fences = new FenceCheck(knobs.elections, judge);
        this.chronicle = new Chronicle(knobs.elections);
        this.silences = new Silences(knobs.elections);
        this.lastLeader = new int[knobs.elections];
        Arrays.fill(lastLeader, -1);
        this.candidates = new Candidate[knobs.candidates()];
        for (int i = 0; i < candidates.length; i++) {
            // A monotonic clock may well be negative.
            long origin = random.nextLong(-1_000_000 * Knobs.SECOND, 1_000_000 * Knobs.SECOND);
            long wall = WALL_START_NANOS + random.nextLong(-100 * Knobs.SECOND, 100 * Knobs.SECOND);
            candidates[i] = new Candidate(this, i, new Clock(knobs.rates[i], origin, wall, knobs.estimates[i]));
        }
        this.recovery = new Recovery(this);
    }

    /** What the seed decided before anything happened. */
    public Knobs knobs() {
        return knobs;
    }

    static RecordKey key(int election) {
        return KEYS.get(election);
    }

    static String name(int candidate) {
        return NAMES.get(candidate);
    }

    static int election(RecordKey key) {
        return Character.digit(key.name().charAt(1), Character.MAX_RADIX);
    }

    static String brief(Id id) {
        return id.toString().substring(0, 6);
    }

    static String text(Action action) {
        return action.toString();
    }

    // ---- the loop ----

    /** Runs the schedule to its end or to the first violation. */
    public Outcome run() {
        nemesis.plan();
        users.plan();
        if (service != null) {
            service.plan();
        }
        for (Candidate candidate : candidates) {
            long begin = random.nextInt(3) == 0 ? random.nextLong(5 * Knobs.SECOND) : 0;
            queue.put(new PlanStep(w -> users.begin(candidate), "begin"), begin);
        }
        runUntil(knobs.horizonNanos);
        if (!judge.isBroken() && !knobs.aim.isClockPair()) {
            recovery.run();
            if (!judge.isBroken() && knobs.queue != null) {
                new CalmRounds(this, knobs.queue.rounds()).run();
            }
            if (!judge.isBroken()) {
                coverage.recovered();
            }
        }
        return new Outcome(hash, steps, now, judge.broken(), judge.words());
    }

    /** Runs all events before {@code end}. */
    void runUntil(long end) {
        while (!judge.isBroken()) {
            long at = queue.firstAt();
            Candidate woken = null;
            for (Candidate candidate : candidates) {
                if (candidate.wakeAt < at) {
                    at = candidate.wakeAt;
                    woken = candidate;
                }
            }
            boolean expires = server.wakeAt < at;
            at = expires ? server.wakeAt : at;
            if (at >= end) {
                now = end;
                return;
            }
            now = at;
            if (++steps > STEPS_MAX) {
                judge.violated(Invariant.LOAD, "more than " + STEPS_MAX + " steps");
                return;
            }
            if (expires) {
                server.wake();
                mix(3);
            } else if (woken != null) {
                woken.wakeAt = Long.MAX_VALUE;
                if (log != null) {
                    note(
                            "tick",
                            "candidate " + woken.index + " wakes at "
                                    + woken.get().monotonicNanos() + " " + woken.machine.role(key(0)));
                }
                mix(5 + woken.index);
                woken.tick();
            } else {
                happen(queue.take());
            }
            check();
        }
    }

    private void happen(Step step) {
        if (step.isStale()) {
            return;
        }
        Candidate target = step.target;
        if (target != null && target.isFrozen) {
            target.putOff(step);
            return;
        }
        mix(step.mark());
        if (log != null) {
            note("event", step.toString());
        }
        step.run(this);
    }

    private void check() {
        beliefs.afterEvent();
        for (int i = open.size() - 1; i >= 0; i--) {
            Reign reign = open.get(i);
            Candidate candidate = reign.post.candidate;
            if (reign.isEnded) {
                if (!reign.isWorking || reign.isOverrun) {
                    open.remove(i);
                } else {
                    deadlines.works(
                            log == null ? "a term" : reign.toString(),
                            candidate.runs(),
                            reign.unreportedNanos(),
                            2 * knobs.wakeLagMax + 10);
                }
                continue;
            }
            if (knobs.asks) {
                reign.isBelieved();
            }
            long overdue =
                    candidate.clock.nanos(now) - reign.term.cell().window().stopAtNanos();
            if (overdue > 0) {
                deadlines.open(
                        "a term of candidate " + candidate.index, candidate.runs(), overdue, 2 * knobs.wakeLagMax + 10);
            }
        }
    }

    void mix(long value) {
        long mixed = (hash ^ value ^ now) * 0x9E3779B97F4A7C15L;
        hash = mixed ^ mixed >>> 29;
    }

    void note(String where, String what) {
        if (log != null) {
            log.add(now, where + ": " + what);
        }
    }

    void fired(Fault fault) {
        coverage.fired(fault);
    }

    // ---- who is who ----

    void begun(Reign reign) {
        int election = reign.post.election;
        beliefs.begun(election, reign);
        coverage.began(lastLeader[election] >= 0 && lastLeader[election] != reign.post.candidate.index);
        lastLeader[election] = reign.post.candidate.index;
        open.add(reign);
    }

    void ended(Reign reign, EndReason reason) {
        coverage.ended(reason);
        recovery.ended(reign, reason);
    }

    void forget(Candidate candidate) {
        beliefs.crashed(candidate.index);
        open.removeIf(reign -> reign.post.candidate == candidate);
    }

    int countUp() {
        int count = 0;
        for (Candidate candidate : candidates) {
            count += candidate.isUp ? 1 : 0;
        }
        return count;
    }

    /** A candidate that leads {@code election}, or {@code otherwise}. */
    Candidate leader(int election, Candidate otherwise) {
        Reign reign = reign(election);
        return reign == null ? otherwise : reign.post.candidate;
    }

    /** An announced term of {@code election} that is believed, or null. */
    @Nullable
    Reign reign(int election) {
        for (Reign reign : open) {
            if (reign.post.election == election && !reign.isEnded && !reign.isBeliefOver()) {
                return reign;
            }
        }
        return null;
    }

    /** The post whose newest attempt {@code held} carries, or null. */
    @Nullable
    Post holder(int election, Observation.Held held) {
        if (held.isForeign()) {
            return null;
        }
        for (Candidate candidate : candidates) {
            if (candidate.isUp && held.record().attempt().equals(candidate.posts[election].attempt)) {
                return candidate.posts[election];
            }
        }
        return null;
    }

    /** The candidate whose record {@code held} is, under any attempt, or null. */
    private @Nullable Candidate owner(Observation.Held held) {
        for (Candidate candidate : candidates) {
            if (candidate.isUp
                    && !held.isForeign()
                    && candidate.settings.incarnation().equals(held.record().incarnation())) {
                return candidate;
            }
        }
        return null;
    }

    /** The holder of {@code held} is about to be forced out: it may overlap with the next for the computed time. */
    void forcedOut(int election, Observation.Held held, Fault how) {
        Candidate candidate = owner(held);
        if (candidate == null) {
            return;
        }
        // Ending a session frees all its records, whichever of them it was found by.
        boolean whole = how == Fault.LEASE_ENDED && knobs.kind.isBySession();
        LeaseTiming timing = candidate.timing;
        long overlap = timing.bounds(knobs.traits).forcedOverlap().toNanos();
        if (whole) {
            overlap = Math.max(overlap, timing.believedFor().toNanos());
        }
        long until = now + candidate.clock.trueNanos(overlap) + knobs.wakeLagMax;
        // That bounds its belief; its work may take one drain budget longer to stop.
        long workUntil = until + candidate.clock.trueNanos(timing.drainTimeoutNanos()) + knobs.wakeLagMax;
        for (Post each : candidate.posts) {
            Id attempt = each.attempt;
            if (attempt != null && (whole || each.election == election && held.isAttempt(attempt))) {
                each.excuse(attempt, until, workUntil);
            }
        }
    }
}
