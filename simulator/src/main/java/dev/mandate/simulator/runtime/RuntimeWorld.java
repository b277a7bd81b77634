package dev.mandate.simulator.runtime;

import dev.mandate.simulator.Schedule;
import dev.mandate.simulator.check.BeliefCheck;
import dev.mandate.simulator.check.FenceCheck;
import dev.mandate.simulator.check.Judge;
import dev.mandate.simulator.check.ReasonCheck;
import dev.mandate.simulator.check.TermCheck;
import dev.mandate.simulator.check.WorkCheck;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Clock;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.Hazard;
import dev.mandate.simulator.world.Outcome;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.simulator.world.Transcript;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of the real runtime: clients, a store, a network and all that can go wrong, on virtual time, decided by
 * one seed. Checkers run after every event, even amid a piece; then all is healed, and somebody must lead in time.
 */
public final class RuntimeWorld implements Schedule {
    static final long WALL_START_NANOS = 1_700_000_000L * RuntimeKnobs.SECOND;
    private static final List<RecordKey> KEYS = List.of(RecordKey.election("e0"), RecordKey.election("e1"));

    final SplittableRandom random;
    final RuntimeKnobs knobs;
    final Judge judge = new Judge();
    final StoreServer server;
    final Network network;
    final Process[] processes;
    final BeliefCheck beliefs;
    final FenceCheck fences;
    final TermCheck terms;
    final ReasonCheck reasons = new ReasonCheck(judge);
    final WorkCheck works = new WorkCheck(judge);
    final Healing healing;
    /** Terms that users hold. */
    final List<Tenure> tenures = new ArrayList<>();

    private final Coverage coverage;
    private final @Nullable Transcript log;
    private final Scheduler scheduler;
    private final Mishaps mishaps;
    private final Map<String, Long> excuses = new HashMap<>();
    private final Map<String, Boolean> askedToLeave = new HashMap<>();
    private int quiet;
    private int seamsLeft;
    private boolean isHealed;
    /** The latest true time at which a thread descheduled so far goes on. */
    private long lastPauseEnds;

    /** The world of {@code seed}; {@code log}, if given, records it. */
    public RuntimeWorld(long seed, Aim aim, StoreKind kind, Coverage coverage, @Nullable Transcript log) {
        this.random = new SplittableRandom(seed);
        this.knobs = new RuntimeKnobs(random, aim, kind);
        this.coverage = coverage;
        this.log = log;
        this.scheduler = new Scheduler(judge, log, this::check);
        this.beliefs = new BeliefCheck(knobs.elections, judge);
        this.fences = new FenceCheck(knobs.elections, judge);
        this.terms = new TermCheck(knobs.elections, judge);
        this.server = new StoreServer(this, terms);
        this.network = new Network(this);
        this.processes = new Process[knobs.processes];
        for (int i = 0; i < processes.length; i++) {
            long origin = random.nextLong(-1_000_000 * RuntimeKnobs.SECOND, 1_000_000 * RuntimeKnobs.SECOND);
            long wall = WALL_START_NANOS + random.nextLong(-100 * RuntimeKnobs.SECOND, 100 * RuntimeKnobs.SECOND);
            processes[i] = new Process(this, i, new Clock(knobs.rates[i], origin, wall, knobs.estimates[i]));
        }
        this.healing = new Healing(this);
        this.mishaps = new Mishaps(this);
        this.seamsLeft = gap();
    }

    static RecordKey key(int election) {
        return KEYS.get(election);
    }

    static int election(RecordKey key) {
        return key.name().charAt(1) - '0';
    }

    @Override
    public String knobs() {
        return knobs.toString();
    }

    @Override
    public Outcome run() {
        for (Process process : processes) {
            long begin = random.nextInt(3) == 0 ? random.nextLong(knobs.leaseNanos() / 2) : 0;
            put(begin, null, "begin", process::start);
        }
        mishaps.plan();
        put(knobs.horizonNanos, null, "healing", healing::begin);
        scheduler.run();
        if (!judge.isBroken()) {
            coverage.recovered();
        }
        return new Outcome(scheduler.hash(), scheduler.steps(), now(), judge.broken(), judge.words());
    }

    void end() {
        scheduler.end();
    }

    // ---- time, and who runs ----

    long now() {
        return scheduler.now();
    }

    Event put(long at, @Nullable Process process, String what, Runnable piece) {
        return scheduler.put(at, process, what, piece);
    }

    void putAgain(Event event) {
        scheduler.putAgain(event);
    }

    Fiber running() {
        return scheduler.running();
    }

    void await(@Nullable CompletableFuture<?> done, long untilTrue) throws InterruptedException {
        scheduler.await(done, untilTrue);
    }

    void parkForEver() {
        scheduler.parkForEver();
    }

    void mix(long value) {
        scheduler.mix(value);
    }

    void note(Supplier<String> what) {
        if (log != null) {
            log.add(now(), what.get());
        }
    }

    /** The name of an event, in full only if somebody will read it. */
    String name(String kind, String of) {
        return log == null ? kind : kind + of;
    }

    long wakeLag() {
        return knobs.wakeLagMax == 0 ? 0 : random.nextLong(knobs.wakeLagMax);
    }

    private int gap() {
        return knobs.seamsApart == 0 || isHealed
                ? Integer.MAX_VALUE
                : 1 + (int) (-Math.log(1 - random.nextDouble()) * knobs.seamsApart);
    }

    /** Ends a thread that was woken because the world is over. */
    void requireNotOver() {
        if (scheduler.isOver()) {
            throw new WorldOver();
        }
    }

    /** A point between two steps of a thread of {@code process}, which may be descheduled here. */
    void seam(Process process) {
        requireNotOver();
        if (quiet > 0 || --seamsLeft > 0) {
            return;
        }
        seamsLeft = gap();
        if (isHealed || !process.isUp) {
            return;
        }
        double share = random.nextDouble();
        long most = random.nextInt(4) > 0 && knobs.aim != Aim.DESCHEDULED
                ? knobs.descheduledMax / 50
                : knobs.descheduledMax;
        long spell = 1 + (long) (share * most);
        Driven turn = running().turn;
        fired(Hazard.DESCHEDULED);
        if (turn != null) {
            fired(turn.isLoop ? Hazard.LOOP_DESCHEDULED : Hazard.WATCHDOG_DESCHEDULED);
        }
        if (spell > knobs.leaseNanos() / 2) {
            fired(Hazard.DESCHEDULED_LONG);
        }
        process.stalls(turn != null && turn.isLoop, now() + spell);
        lastPauseEnds = Math.max(lastPauseEnds, now() + spell);
        note(() -> "  " + process + (turn == null ? "" : turn.isLoop ? "'s loop" : "'s watchdog")
                + " is descheduled for " + spell / 1e9 + " s");
        scheduler.pause(now() + spell);
    }

    /** Does {@code what} at one instant, on any thread. */
    <T> T quietly(Supplier<T> what) {
        quiet++;
        try {
            return what.get();
        } finally {
            quiet--;
        }
    }

    /** From now on nobody is descheduled; returns the true time at which the last consequences have come. */
    long heal() {
        isHealed = true;
        return Math.max(now(), Math.max(network.lastArrival, lastPauseEnds));
    }

    boolean isHealed() {
        return isHealed;
    }

    void fired(Hazard hazard) {
        coverage.fired(hazard);
    }

    Mishaps mishaps() {
        return mishaps;
    }

    // ---- what is checked ----

    private void check() {
        quiet++;
        try {
            for (int i = tenures.size() - 1; i >= 0; i--) {
                if (tenures.get(i).look()) {
                    tenures.remove(i);
                }
            }
            beliefs.afterEvent();
            for (Process process : processes) {
                process.look();
            }
        } finally {
            quiet--;
        }
    }

    void begun(Tenure tenure) {
        // The thread that hands it over may be stalled until it has ended.
        terms.begun(tenure.election, tenure.term(), tenure.isExcused() || !tenure.isBelieved());
        tenures.add(tenure);
        if (tenure.isBelieved()) {
            beliefs.begun(tenure.election, tenure);
        }
        coverage.began(false);
        mix(tenure.term());
    }

    void crashed(Process process) {
        beliefs.crashed(process.index);
        tenures.removeIf(tenure -> tenure.process == process);
    }

    /** A tenure that is believed, or null. */
    @Nullable
    Tenure leader(int election) {
        for (Tenure tenure : tenures) {
            if (tenure.election == election && quietly(tenure::isBelieved)) {
                return tenure;
            }
        }
        return null;
    }

    // ---- who was forced out ----

    void asked(int election, long term) {
        askedToLeave.put(election + ":" + term, true);
    }

    boolean wasAskedToLeave(int election, long term) {
        return askedToLeave.containsKey(election + ":" + term);
    }

    /** The holder of {@code held} is about to be forced out: it may overlap with the next for the computed time. */
    void forcedOut(int election, Observation.Held held, Hazard how) {
        long overlap = knobs.timing.bounds(knobs.traits).forcedOverlap().toNanos();
        boolean isWhole = how == Hazard.LEASE_ENDED && knobs.kind.isBySession();
        if (isWhole) {
            overlap = Math.max(overlap, knobs.leaseNanos());
        }
        long until = now() + slowest(overlap + knobs.timing.drainTimeoutNanos()) + 10 * knobs.wakeLagMax;
        for (int e = 0; e < knobs.elections; e++) {
            boolean isHit = e == election || isWhole;
            if (isHit && server.standing(e) instanceof Observation.Held other) {
                // Forcing out a session frees all its records.
                boolean isOther = e != election
                        && (other.isForeign()
                                || held.isForeign()
                                || !other.record()
                                        .incarnation()
                                        .equals(held.record().incarnation()));
                if (!isOther) {
                    excuses.merge(e + ":" + other.term(), until, Math::max);
                }
            }
        }
    }

    boolean isExcused(int election, long term, long stalledNanos) {
        Long until = excuses.get(election + ":" + term);
        return until != null && now() <= until + stalledNanos;
    }

    /** A duration on the slowest clock, in true time. */
    long slowest(long nanos) {
        double rate = knobs.serverRate;
        for (double each : knobs.rates) {
            rate = Math.min(rate, each);
        }
        return (long) Math.ceil(nanos / rate);
    }
}
