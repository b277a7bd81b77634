package dev.mandate.simulator.runtime;

import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Hazard;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.SplittableRandom;

/** All that a seed decides before its schedule begins. Times are in nanoseconds, chances from 0 to 1. */
final class RuntimeKnobs {
    static final long SECOND = 1_000_000_000L;
    static final long MILLI = 1_000_000L;

    /** How a user campaigns. */
    enum CampaignStyle {
        BY_TASK,
        BY_STAGE,
        BY_CALL
    }

    final Aim aim;
    final StoreKind kind;
    final int processes;
    final int elections;
    final double maxClockRatio;
    final LeaseTiming timing;
    final double[] rates;
    /** Which machines have no clock that counts from boot. */
    final boolean[] estimates;

    final double serverRate;
    final Settle settle;
    final OverrunPolicy overrun;
    final boolean hasExecutor;

    final StoreTraits traits;
    final ModelOptions options;
    final int pageSize;
    final boolean watchShowsRenewals;

    final long delayMax;
    final long slowMean;
    final double requestLoss;
    final double answerLoss;
    final double failFast;
    final double doubled;
    final double late;
    final boolean refusesCalls;
    final double hintLoss;
    final double hintLate;

    /** How late a woken thread may run. */
    final long wakeLagMax;
    /** On average, a thread is descheduled at one of so many points where it may be; 0 for never. */
    final int seamsApart;
    /** How long a thread may be descheduled. */
    final long descheduledMax;

    final boolean asks;
    final double byTask;
    final double overrunChance;
    final double stopShare;
    final boolean heartbeats;
    final boolean healthChecks;
    final double unhealthy;
    final double slowListener;
    /** Whether users that campaign by stages do the work in the continuation that reports the win. */
    final boolean worksWhenTold;

    final EnumSet<Hazard> hazards = EnumSet.noneOf(Hazard.class);
    final int hazardSteps;
    final int userSteps;
    final long horizonNanos;

    RuntimeKnobs(SplittableRandom random, Aim aim, StoreKind kind) {
        Draw draw = new Draw(random);
        boolean isEdge = aim == Aim.DESCHEDULED;
        this.aim = aim;
        this.kind = kind;
        this.processes = isEdge ? 2 : 2 + (draw.chance(0.4) ? 1 : 0);
        this.elections = !isEdge && draw.chance(0.2) ? 2 : 1;
        boolean isDefault = !isEdge && draw.chance(0.4);
        long lease = (long) (draw.between(3, 12) * SECOND);
        this.maxClockRatio = isEdge ? 1.02 : isDefault || draw.chance(0.5) ? 1.1 : draw.chance(0.5) ? 1.02 : 1.25;
        this.timing = timing(draw, lease, maxClockRatio, isDefault, isEdge);
        this.rates = new double[processes];
        double half = isEdge ? 1 : Math.sqrt(maxClockRatio);
        boolean areEven = draw.chance(0.3);
        for (int i = 0; i < processes; i++) {
            rates[i] =
                    areEven ? 1 : draw.chance(0.5) ? draw.between(1 / half, half) : draw.chance(0.5) ? half : 1 / half;
        }
        this.estimates = new boolean[processes];
        for (int i = 0; i < processes; i++) {
            estimates[i] = draw.chance(0.2);
        }
        this.serverRate = areEven ? 1 : draw.between(1 / half, half);
        this.settle = isDefault || isEdge || draw.chance(0.7) ? Settle.AFTER_FOREIGN : Settle.ALWAYS;
        this.overrun =
                draw.chance(0.6) ? OverrunPolicy.RELEASE : draw.chance(0.5) ? OverrunPolicy.HOLD : OverrunPolicy.HALT;
        this.hasExecutor = draw.chance(0.3);

        StoreTraits made = StoreTraits.of(kind.text(), kind.expiry(), kind.scope());
        if (!kind.isJudged() && draw.chance(0.2)) {
            made = made.withExpiry(draw.between(1, 2), Duration.ofMillis((long) draw.between(0, 1000)));
        }
        this.traits = made.withWatch(isEdge || draw.chance(0.7));
        this.options = ModelOptions.DEFAULT
                .with(draw.chance(0.5) ? ModelOptions.VacantBasis.CONSTANT : ModelOptions.VacantBasis.RISING)
                .with(draw.chance(0.5) ? ModelOptions.Token.CLOCK : ModelOptions.Token.REVISION)
                .withListsVacant(draw.chance(0.5))
                .withRefusalShows(draw.chance(0.75));
        this.pageSize = draw.chance(0.5) ? 1 : 100;
        this.watchShowsRenewals = isEdge || draw.chance(0.5);

        this.delayMax = isEdge || draw.chance(0.6) ? 2 * MILLI : (long) (draw.between(2, 60) * MILLI);
        this.slowMean = !isEdge && draw.chance(0.3) ? (long) (lease * draw.between(0.001, 0.04)) : 0;
        this.requestLoss = isEdge ? 0 : draw.rate(0.4, 0.01, 0.2);
        this.answerLoss = isEdge ? 0 : draw.rate(0.4, 0.01, 0.2);
        this.failFast = isEdge ? 0 : draw.rate(0.25, 0.01, 0.2);
        this.doubled = isEdge ? 0 : draw.rate(0.3, 0.02, 0.2);
        this.late = isEdge ? 0 : draw.rate(0.3, 0.01, 0.1);
        this.refusesCalls = draw.chance(0.3);
        this.hintLoss = isEdge ? 0 : draw.rate(0.4, 0.05, 0.6);
        this.hintLate = isEdge ? 0 : draw.rate(0.3, 0.05, 0.3);

        this.wakeLagMax = draw.chance(0.4) ? 0 : (long) (draw.between(0.02, 5) * MILLI);
        this.seamsApart =
                isEdge ? 120 : draw.chance(0.15) ? 0 : (int) Math.exp(draw.between(Math.log(100), Math.log(5000)));
        this.descheduledMax =
                isEdge ? (long) (lease * 0.9) : (long) (lease * (draw.chance(0.5) ? 0.02 : draw.between(0.05, 1.2)));

        this.asks = draw.chance(0.5);
        this.byTask = draw.chance(0.5) ? 1 : 0.6;
        this.overrunChance = isEdge ? 0 : draw.rate(0.3, 0.05, 0.5);
        this.stopShare = draw.between(0, 0.8);
        this.heartbeats = !isEdge && draw.chance(0.3);
        this.healthChecks = !isEdge && draw.chance(0.3);
        this.unhealthy = draw.chance(0.5) ? 0 : 0.05;
        this.slowListener = draw.rate(0.3, 0.1, 0.5);
        if (isEdge) {
            hazards.add(Hazard.CUT);
        } else {
            double each = draw.between(0.15, 0.5);
            for (Hazard hazard : Hazard.PLANNED) {
                if (hazard != Hazard.HALTED && draw.chance(each)) {
                    hazards.add(hazard);
                }
            }
            hazards.add(Hazard.CUT);
        }
        this.hazardSteps = isEdge ? 8 : 3 + random.nextInt(7);
        this.userSteps = isEdge ? 0 : random.nextInt(8);
        this.worksWhenTold = !isEdge && draw.chance(0.3);
        this.horizonNanos = (isEdge ? 12 : 7) * lease;
    }

    private static LeaseTiming timing(Draw draw, long lease, double q, boolean isDefault, boolean isEdge) {
        LeaseTiming.Draft draft = LeaseTiming.of(Duration.ofNanos(lease), q);
        if (isEdge) {
            return draft.deadlineMargin(Duration.ZERO)
                    .drainTimeout(Duration.ZERO)
                    .splay(Duration.ZERO)
                    .build();
        }
        if (isDefault) {
            return draft.recordCheckInterval(Duration.ofNanos((long) (lease * draw.between(0.5, 3))))
                    .build();
        }
        return draft.deadlineMargin(Duration.ofNanos(draw.chance(0.3) ? 0 : lease / 500))
                .renewInterval(Duration.ofNanos((long) (lease * draw.between(0.15, 0.33))))
                .requestTimeout(Duration.ofNanos((long) (lease * draw.between(0.03, 0.06))))
                .retryInterval(Duration.ofNanos((long) (lease * draw.between(0.01, 0.025))))
                .drainTimeout(Duration.ofNanos((long) (lease * (draw.chance(0.3) ? 0 : draw.between(0.005, 0.16)))))
                .pollInterval(Duration.ofNanos((long) (lease * draw.between(0.125, 0.6))))
                .recordCheckInterval(Duration.ofNanos((long) (lease * draw.between(0.3, 3))))
                .coolDown(Duration.ofNanos((long) (lease * draw.between(0.05, 0.5))))
                .build();
    }

    long leaseNanos() {
        return timing.leaseNanos();
    }

    /** Draws a seed's numbers. */
    private record Draw(SplittableRandom random) {
        boolean chance(double p) {
            return random.nextDouble() < p;
        }

        double between(double least, double most) {
            return least + random.nextDouble() * (most - least);
        }

        /** A rate within these bounds with chance {@code p}, else 0. */
        double rate(double p, double least, double most) {
            return chance(p) ? between(least, most) : 0;
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "  aim %s, expiry %s, %d processes, %d elections, %s%n",
                aim.text(),
                kind.text(),
                processes,
                elections,
                timing));
        for (int i = 0; i < processes; i++) {
            text.append(String.format(
                    Locale.ROOT,
                    "  process %d: clock rate %.9f, %s%n",
                    i,
                    rates[i],
                    estimates[i] ? "no boot clock" : "boot clock"));
        }
        text.append(String.format(
                Locale.ROOT,
                "  server: clock rate %.9f, expiry factor %.2f, slack %s, %s, page size %d, watch %s (renewals %s)%n",
                serverRate,
                traits.expiryFactor(),
                traits.expirySlack(),
                options,
                pageSize,
                traits.watches(),
                watchShowsRenewals));
        text.append(String.format(
                Locale.ROOT,
                "  delay up to %.3f ms + exponential %.3f ms, lost %.3f, answers %.3f, failed %.3f, doubled %.3f, late %.3f,"
                        + " refused %s, hints lost %.3f, late %.3f%n",
                delayMax / 1e6,
                slowMean / 1e6,
                requestLoss,
                answerLoss,
                failFast,
                doubled,
                late,
                refusesCalls,
                hintLoss,
                hintLate));
        text.append(String.format(
                Locale.ROOT,
                "  woken up to %.3f ms late, descheduled at one point in %d for up to %.3f ms%n",
                wakeLagMax / 1e6,
                seamsApart,
                descheduledMax / 1e6));
        text.append(String.format(
                Locale.ROOT,
                "  settle %s, overrun %s (chance %.2f), stops within %.2f of the drain budget, asks %s, executor %s, by task"
                        + " %.1f, heartbeats %s, health checks %s (unhealthy %.2f), slow listeners %.2f%n",
                settle,
                overrun,
                overrunChance,
                stopShare,
                asks,
                hasExecutor,
                byTask,
                heartbeats,
                healthChecks,
                unhealthy,
                slowListener));
        text.append(String.format(Locale.ROOT, "  hazards %d × %s, users %d", hazardSteps, hazards, userSteps));
        return text.toString();
    }
}
