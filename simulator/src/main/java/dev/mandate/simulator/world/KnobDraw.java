package dev.mandate.simulator.world;

import static dev.mandate.simulator.world.Knobs.MILLI;
import static dev.mandate.simulator.world.Knobs.SECOND;

import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.engine.CandidateMachine;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Draws the knobs of a world: chance switches each fault on, so that no two worlds are bad in the same way. */
final class KnobDraw {
    /** How many candidates the standard schedule has. */
    private static final int CANDIDATES = 5;

    private final SplittableRandom random;
    private final Knobs knobs;

    private KnobDraw(SplittableRandom random, Aim aim, StoreKind kind) {
        this.random = random;
        this.knobs = new Knobs(aim, kind);
    }

    static Knobs draw(SplittableRandom random, Aim aim, StoreKind kind) {
        KnobDraw draw = new KnobDraw(random, aim, kind);
        if (aim.isClockPair()) {
            draw.clockPair();
        } else {
            draw.swarm();
            if (aim == Aim.HAUNTED) {
                draw.haunt();
            } else if (aim == Aim.STUCK) {
                draw.haunt();
                draw.stick();
            } else if (aim == Aim.PAUSED) {
                draw.pause();
            } else if (aim == Aim.BLINDED) {
                draw.blind();
            } else if (aim == Aim.SUSPENDED) {
                draw.suspend();
            } else if (aim == Aim.CROWDED) {
                draw.pages();
            }
        }
        return draw.knobs;
    }

    private boolean chance(double p) {
        return random.nextDouble() < p;
    }

    private double between(double least, double most) {
        return least + random.nextDouble() * (most - least);
    }

    private long nanos(double least, double most) {
        return (long) between(least, most);
    }

    private void swarm() {
        knobs.isDefault = chance(0.2);
        double shape = random.nextDouble();
        knobs.elections = shape < 0.84 ? 1 : shape < 0.95 ? 2 : 3;
        int count = knobs.aim == Aim.CROWDED ? crowd() : CANDIDATES;
        candidates(count);
        rates(count);
        store();
        network();
        processes();
        faults();
    }

    // ---- settings ----

    private void candidates(int count) {
        // Long leases leave more of the schedule to faults than to polls; short ones hurry.
        double seconds = chance(0.12) ? between(2, 6) : between(6, 20);
        long lease = (long) (seconds * SECOND);
        boolean skewed = chance(0.2);
        Shape shape = knobs.isDefault ? Shape.DEFAULT : shape();
        knobs.maxClockRatio = shape.maxClockRatio;
        knobs.timings = new LeaseTiming[count];
        for (int i = 0; i < count; i++) {
            long own = skewed ? (long) (lease * between(0.4, 2.5)) : lease;
            knobs.timings[i] = i > 0 && !skewed ? knobs.timings[0] : shape.timing(Math.max(SECOND, own));
        }
        if (!knobs.isDefault) {
            knobs.settle = chance(0.5) ? Settle.NEVER : chance(0.5) ? Settle.AFTER_FOREIGN : Settle.ALWAYS;
            knobs.settleTimeNanos = chance(0.3) ? lease / 2 : 0;
            knobs.overrun = chance(0.6) ? OverrunPolicy.RELEASE : chance(0.7) ? OverrunPolicy.HOLD : OverrunPolicy.HALT;
        } else {
            knobs.settle = Settle.AFTER_FOREIGN;
        }
        knobs.sameNames = chance(0.2);
        knobs.observers = chance(0.5);
        knobs.idleMax = chance(0.5) ? 0 : CandidateMachine.IDLE_MAX;
    }

    /** Settings as shares of the lease. */
    private record Shape(
            double maxClockRatio,
            double guard,
            double renew,
            double answer,
            double retry,
            double drain,
            double poll,
            double recordCheck,
            double coolDown) {
        static final Shape DEFAULT = new Shape(1.1, 0, 0, 0, 0, 0, 0, 0, 0);

        LeaseTiming timing(long lease) {
            LeaseTiming.Draft draft = LeaseTiming.of(Duration.ofNanos(lease), maxClockRatio);
            if (renew == 0) {
                return draft.build();
            }
            return draft.deadlineMargin(Duration.ofNanos((long) (lease * guard)))
                    .renewInterval(Duration.ofNanos((long) (lease * renew)))
                    .requestTimeout(Duration.ofNanos((long) (lease * answer)))
                    .retryInterval(Duration.ofNanos((long) (lease * retry)))
                    .drainTimeout(Duration.ofNanos((long) (lease * drain)))
                    .pollInterval(Duration.ofNanos((long) (lease * poll)))
                    .recordCheckInterval(Duration.ofNanos((long) (lease * recordCheck)))
                    .coolDown(Duration.ofNanos((long) (lease * coolDown)))
                    .build();
        }
    }

    /** Always leaves room for three tries: renew + 3 × answer + 2 × retry ≤ 1 / q − guard − drain. */
    private Shape shape() {
        double q = chance(0.5) ? 1.1 : chance(0.5) ? 1.02 : 1.25;
        return new Shape(
                q,
                chance(0.3) ? 0 : chance(0.5) ? 0.001 : 0.01,
                chance(0.6) ? 1 / 3.01 : between(0.15, 0.33),
                q > 1.2 ? between(0.03, 0.06) : between(0.04, 0.1),
                between(0.01, 0.025),
                chance(0.3) ? 0 : chance(0.5) ? between(0.005, 0.05) : 0.16,
                chance(0.25) ? 0.125 : between(0.15, 0.6),
                chance(0.3) ? between(4, 8) : between(0.3, 3),
                between(0.05, 0.5));
    }

    private void rates(int count) {
        double shape = random.nextDouble();
        double half = Math.sqrt(knobs.maxClockRatio);
        knobs.rates = knobs.evenRates(count);
        boolean estimates = chance(0.3);
        knobs.estimates = new boolean[count];
        for (int i = 0; i < count; i++) {
            knobs.estimates[i] = estimates && chance(0.7);
        }
        if (shape < 0.2) {
            return;
        }
        for (int i = 0; i <= count; i++) {
            double rate = shape < 0.4
                    ? Math.min(half, Math.max(1 / half, between(0.995, 1.005)))
                    : shape < 0.7 ? between(1 / half, half) : chance(0.5) ? half : 1 / half;
            if (i == count) {
                knobs.serverRate = rate;
            } else {
                knobs.rates[i] = rate;
            }
        }
    }

    // ---- the store ----

    private void store() {
        StoreTraits traits = knobs.traits;
        if (!knobs.kind.isJudged()) {
            if (chance(0.3)) {
                traits = traits.withExpiry(chance(0.5) ? 1.0 : between(1.0, 2.0), Duration.ofMillis(nanos(0, 1500)));
            }
            if (knobs.kind.isBySession() && chance(0.2)) {
                traits = traits.withLockDelay(Duration.ofMillis(nanos(100, 5000)));
            }
        }
        if (knobs.kind.isBySession() && chance(0.2)) {
            traits = chance(0.5)
                    ? traits.withLeaseBounds(Duration.ofSeconds(1), Duration.ofDays(1), Duration.ofSeconds(1))
                    : grantingLess(traits);
        }
        knobs.watch = chance(0.6);
        knobs.traits = traits.withWatch(knobs.watch);
        knobs.options = ModelOptions.DEFAULT
                .with(chance(0.5) ? ModelOptions.VacantBasis.CONSTANT : ModelOptions.VacantBasis.RISING)
                .with(chance(0.5) ? ModelOptions.Token.CLOCK : ModelOptions.Token.REVISION)
                .withUpdatesRenew(!knobs.kind.isBySession() && chance(0.25))
                .withListsVacant(chance(0.5))
                .withListsByPosition(chance(0.3))
                .withRefusalShows(chance(0.75));
        if (knobs.kind == StoreKind.JUDGES_SESSION) {
            knobs.byHalves = chance(0.5);
        } else if (knobs.kind == StoreKind.REMOVES_RECORD) {
            leasesOfRecords();
        }
        knobs.traits = knobs.traits.withOrderedTerms(knobs.options.token() == ModelOptions.Token.REVISION);
        knobs.pageSize = chance(0.5) ? 1 : 100;
        knobs.watchShowsRenewals = chance(0.5);
        knobs.watchSaysOnlyThatSomethingChanged = chance(0.15);
        knobs.hintLoss = chance(0.5) ? 0 : between(0.05, 0.9);
        knobs.hintLate = chance(0.5) ? 0 : between(0.05, 0.5);
        knobs.hintLateMax = (long) (knobs.leaseMax() * between(0.1, 3));
    }

    /** The store grants shorter sessions than requested. */
    private StoreTraits grantingLess(StoreTraits traits) {
        long most = (long) (knobs.leaseMax() * 0.8);
        return traits.withLeaseBounds(Duration.ofSeconds(1), Duration.ofNanos(most), Duration.ofMillis(1));
    }

    /** Like Azure Blob, which takes the lease before the record; like NATS, which ends it by wall clock; or simpler. */
    private void leasesOfRecords() {
        double shape = random.nextDouble();
        if (shape < 0.35) {
            knobs.byHalves = true;
            knobs.options = knobs.options
                    .with(ModelOptions.VacantBasis.RISING)
                    .with(ModelOptions.Token.CLOCK)
                    .withUpdatesRenew(false)
                    .withRenewsExpired(true);
        } else if (shape < 0.7) {
            knobs.endsByWallClock = true;
            long most = Math.min(knobs.timings[0].leaseNanos() / 10, SECOND / 2);
            knobs.traits = knobs.traits.withReserve(Duration.ofNanos(nanos(most / 10.0, most)));
        }
    }

    // ---- the network ----

    private void network() {
        long lease = knobs.leaseMax();
        if (chance(0.4)) {
            knobs.delayMax = nanos(2, 60) * MILLI;
        }
        if (chance(0.35)) {
            knobs.slowMean = (long) (lease * (chance(0.75) ? between(0.001, 0.02) : between(0.02, 0.08)));
        }
        if (chance(0.45)) {
            knobs.requestLoss = chance(0.8) ? between(0.01, 0.15) : between(0.15, 0.5);
        }
        if (chance(0.45)) {
            knobs.answerLoss = chance(0.8) ? between(0.01, 0.15) : between(0.15, 0.5);
        }
        if (chance(0.3)) {
            knobs.duplicate = between(0.02, 0.3);
        }
        if (chance(0.3)) {
            knobs.requestDouble = between(0.02, 0.3);
        }
        if (chance(0.25)) {
            knobs.failFast = between(0.01, 0.2);
        }
        knobs.refusesCalls = chance(0.3);
        if (chance(0.45)) {
            knobs.late = between(0.01, 0.15);
            knobs.lateMax = (long) (lease * between(0.2, 2.5));
        }
    }

    // ---- the processes ----

    private void processes() {
        knobs.wakeLagMax = chance(0.5) ? 0 : nanos(0.1, 10) * MILLI;
        knobs.asks = chance(0.3);
        knobs.tellMax = chance(0.5) ? 0 : nanos(0.1, 5) * MILLI;
        knobs.handles = chance(0.2);
        if (!knobs.handles && chance(0.3)) {
            knobs.overrunChance = between(0.05, 0.6);
            if (knobs.overrun == OverrunPolicy.RELEASE) {
                knobs.stuckShare = chance(0.5) ? 0 : between(0.1, 0.9);
            }
        }
        knobs.stopShare = chance(0.5) ? between(0, 0.99) : 0.2;
    }

    private void faults() {
        double each = between(0.15, 0.5);
        while (knobs.nemesis.size() < 2) {
            for (Fault fault : Fault.NEMESIS) {
                if (chance(each)) {
                    knobs.nemesis.add(fault);
                }
            }
        }
        for (Fault fault : Fault.USERS) {
            if (chance(0.5)) {
                knobs.users.add(fault);
            }
        }
        knobs.nemesisSteps = 6 + random.nextInt(9);
        knobs.userSteps = knobs.users.isEmpty() ? 0 : random.nextInt(10);
    }

    /** One or two candidates withdraw in haste, and acquires land late: nobody else clears up what is left behind. */
    private void haunt() {
        int count = 1 + random.nextInt(2);
        knobs.timings = Arrays.copyOf(knobs.timings, count);
        knobs.rates = Arrays.copyOf(knobs.rates, count);
        knobs.estimates = Arrays.copyOf(knobs.estimates, count);
        knobs.observers = false;
        if (chance(0.3)) {
            // Acquires come twice, not late: one copy is found, released and forgotten before the other lands.
            knobs.late = 0;
            knobs.hasty = true;
            // Few are lost: a client awaiting an answer looks while its session lives, and finds what is left behind.
            knobs.requestLoss = 0;
            knobs.answerLoss = 0;
            knobs.failFast = chance(0.65) ? 0.3 : 0;
            knobs.failInVain = 8;
            knobs.requestDouble = 0.5;
            knobs.options =
                    knobs.options.with(ModelOptions.VacantBasis.CONSTANT).withRefusalShows(chance(0.5));
        } else {
            knobs.late = 0.3;
            knobs.lateMax = 2 * knobs.leaseMax();
        }
        knobs.users.clear();
        knobs.users.add(Fault.WITHDREW);
        knobs.users.add(Fault.RESIGNED);
        knobs.userSteps = 40;
    }

    /** A record is released although work runs on, and an acquire that lands late may take it again. */
    private void stick() {
        knobs.handles = false;
        knobs.overrun = OverrunPolicy.RELEASE;
        knobs.overrunChance = 0.5;
        knobs.stuckShare = 0.5;
        knobs.nemesis.add(Fault.FORCED_RELEASE);
        knobs.nemesis.add(Fault.DELETED);
    }

    /** A renewal is often in flight when its process stops, and answered when it resumes. */
    private void pause() {
        knobs.asks = true;
        knobs.slowMean = knobs.leaseMax() / 30;
        knobs.nemesis.clear();
        knobs.nemesis.add(Fault.PAUSE);
        knobs.nemesisSteps = 40;
    }

    /** Draws how many elections there are; returns the number of candidates. */
    private int crowd() {
        boolean wide = chance(0.75);
        knobs.elections = wide ? 6 + random.nextInt(15) : 1;
        return wide ? 1 + random.nextInt(3) : 8;
    }

    /** Elections come and go while their pages are read. */
    private void pages() {
        knobs.pageSize = 1 + random.nextInt(4);
        knobs.options = knobs.options.withListsByPosition(chance(0.7)).withListsVacant(chance(0.3));
        knobs.users.add(Fault.WITHDREW);
        knobs.users.add(Fault.RESIGNED);
        knobs.userSteps = 3 * knobs.elections;
        knobs.nemesisSteps *= 2;
        knobs.horizonNanos /= 2;
    }

    /** Leaders must suspect what they cannot see. */
    private void blind() {
        knobs.nemesis.clear();
        knobs.nemesis.add(Fault.CUT_READS);
        knobs.nemesis.add(Fault.FORCED_RELEASE);
        knobs.nemesis.add(Fault.DELETED);
        knobs.nemesis.add(Fault.OVERWRITTEN);
        knobs.nemesisSteps = 14;
    }

    /** Only the wall clock reveals a suspension, and it is set now and then. */
    private void suspend() {
        Arrays.fill(knobs.estimates, true);
        knobs.nemesis.clear();
        knobs.nemesis.add(Fault.SUSPENSION);
        knobs.nemesis.add(Fault.WALL_BACK);
        knobs.nemesis.add(Fault.WALL_AHEAD);
        knobs.nemesis.add(Fault.CUT_WRITES);
        knobs.nemesisSteps = 40;
    }

    // ---- pairs of clocks ----

    /** Two candidates: now and then the leader is cut off, and the other takes over as soon as it may. */
    private void clockPair() {
        long lease = nanos(2, 10) * SECOND;
        LeaseTiming.Draft draft = LeaseTiming.of(Duration.ofNanos(lease), 1.1)
                .pollInterval(Duration.ofNanos(knobs.aim == Aim.CLOCK_SLOW ? lease / 60 : lease / 800))
                .splay(Duration.ZERO);
        double ratio = 1.1;
        if (knobs.aim != Aim.CLOCK_EDGE) {
            draft.deadlineMargin(Duration.ZERO).drainTimeout(Duration.ZERO);
        }
        if (knobs.aim == Aim.CLOCK_BEYOND) {
            ratio = 1.1 * 1.01;
        }
        knobs.timings = new LeaseTiming[2];
        Arrays.fill(knobs.timings, draft.build());
        // Either may be the slow one: sooner or later a leader that believes too long is cut off.
        boolean first = chance(0.5);
        knobs.rates = new double[] {first ? 1.0 : ratio, first ? ratio : 1.0};
        knobs.estimates = new boolean[2];
        knobs.serverRate = ratio;
        knobs.watch = true;
        knobs.watchShowsRenewals = true;
        knobs.traits = knobs.traits.withWatch(true);
        knobs.delayMin = lease / 20_000;
        knobs.delayMax = lease / 1_100;
        knobs.slowMean = knobs.aim == Aim.CLOCK_SLOW ? lease / 50 : 0;
        knobs.nemesis.add(Fault.CUT);
        knobs.nemesisSteps = 12;
        if (knobs.aim == Aim.CLOCK_BARE) {
            // Neither a published value nor the requested lease may prolong the granted one.
            knobs.users.add(Fault.PROCLAIMED);
            knobs.userSteps = 12;
            if (knobs.kind.isBySession() && chance(0.5)) {
                knobs.traits = grantingLess(knobs.traits);
            }
        }
        if (knobs.aim == Aim.CLOCK_STEPPED && knobs.kind == StoreKind.REMOVES_RECORD) {
            knobs.endsByWallClock = true;
            knobs.traits = knobs.traits.withReserve(Duration.ofNanos(Math.min(lease / 10, SECOND / 2)));
            knobs.nemesis.add(Fault.SERVER_CLOCK_STEP);
            knobs.nemesisSteps = 30;
        }
    }
}
