package dev.mandate.simulator.groups;

import dev.mandate.engine.LeaseTiming;
import dev.mandate.simulator.world.GroupFault;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All that a seed decides before its schedule begins. Times are in nanoseconds, chances from 0 to 1. */
final class GroupKnobs {
    static final long SECOND = 1_000_000_000L;
    static final long MILLI = 1_000_000L;
    /** The greatest ratio of clock rates that is covered. */
    static final double Q = 1.1;

    private static final int[] SIZES = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 5, 5, 5, 5, 5, 6, 7};

    final Scheme scheme;
    final int voters;
    /** Candidates without a voter, numbered after the members. */
    final int guests;

    final int elections;
    /** The longest lease of the group, and so its quarantine. */
    final long lease;

    final LeaseTiming[] timings;
    /** The candidate whose lease is longer than the group grants; -1 for none. */
    final int tooLong;

    final double[] rates;
    final boolean isAtQ;
    final long[] walls;

    final long delayMin;
    long delayMax;
    double loss;
    double doubled;
    double late;
    final long lateMax;
    /** Whether a message may reach a later life of its receiver; not where a majority forgets. */
    boolean outlives = true;

    final long ceilingStep;
    long diskMax;
    final long wakeLagMax;
    final long horizon;
    final int mishaps;
    final EnumSet<GroupFault> kinds;
    /** The plot that is staged; null for none. */
    final Plot.@Nullable Kind plot;

    final long joinNanos;

    GroupKnobs(SplittableRandom random, boolean plots) {
        Plot.Kind[] plotKinds = Plot.Kind.values();
        this.plot = plots ? plotKinds[random.nextInt(plotKinds.length)] : null;
        boolean calls = plot == Plot.Kind.CALL_LASTS;
        this.scheme = Scheme.values()[random.nextInt(Scheme.values().length)];
        this.voters = calls
                ? (random.nextInt(4) > 0 ? 3 : 5)
                : !plots && random.nextInt(30) == 0
                        ? 8 + random.nextInt(2)
                        : SIZES[random.nextInt(plots ? SIZES.length - 2 : SIZES.length)];
        this.guests = calls || random.nextInt(8) == 0 ? 1 : 0;
        this.elections = !plots && random.nextInt(8) == 0 ? 2 : 1;
        this.lease = (1 + random.nextInt(6)) * SECOND;
        this.timings = new LeaseTiming[voters + guests];
        boolean mayBeTooLong = !plots || plot == Plot.Kind.OTHERS_RESTART;
        this.tooLong = mayBeTooLong && random.nextInt(plots ? 4 : 12) == 0 ? random.nextInt(voters) : -1;
        this.rates = new double[timings.length];
        this.isAtQ = random.nextBoolean();
        this.walls = new long[timings.length];
        boolean evenClocks = random.nextInt(4) == 0;
        boolean evenLeases = random.nextInt(4) > 0;
        long wallSpread = random.nextInt(4) == 0 ? 3_600 * SECOND : lease;
        for (int i = 0; i < timings.length; i++) {
            rates[i] = evenClocks ? 1 : isAtQ ? (random.nextBoolean() ? 1 : Q) : 1 + (Q - 1) * random.nextDouble();
            walls[i] = random.nextLong(2 * wallSpread) - wallSpread;
            long own = evenLeases ? lease : lease / 2 + random.nextLong(lease / 2);
            own = i == tooLong ? 2 * lease + random.nextLong(2 * lease) : own;
            timings[i] = LeaseTiming.of(Duration.ofNanos(own), Q)
                    .pollInterval(Duration.ofNanos(own / (3 + random.nextInt(5))))
                    .build();
        }
        this.delayMin = MILLI / 10;
        this.delayMax = delayMin + MILLI + random.nextLong(lease / 100);
        boolean isCalm = plots ? random.nextInt(4) > 0 : random.nextInt(8) == 0;
        this.loss = isCalm || random.nextBoolean() ? 0 : 0.2 * random.nextDouble();
        this.doubled = isCalm || random.nextBoolean() ? 0 : 0.2 * random.nextDouble();
        this.late = isCalm || random.nextBoolean() ? 0 : 0.1 * random.nextDouble();
        this.lateMax = random.nextBoolean() ? 3 * lease : lease / 5;
        this.ceilingStep = random.nextBoolean() ? 60_000 : 50 + random.nextInt(2_000);
        this.diskMax = random.nextInt(4) == 0 ? lease / 20 : 5 * MILLI;
        this.wakeLagMax = random.nextBoolean() ? 0 : random.nextLong(5 * MILLI);
        this.horizon = lease * ((plots ? 6 : 5) + random.nextInt(3));
        this.mishaps = plots ? (isCalm ? 0 : random.nextInt(3)) : random.nextInt(9);
        this.joinNanos = lease / (random.nextInt(4) == 0 ? 50 : 8);
        this.kinds = EnumSet.noneOf(GroupFault.class);
        for (GroupFault kind : Mishaps.KINDS) {
            if (random.nextBoolean()) {
                kinds.add(kind);
            }
        }
        if (kinds.isEmpty()) {
            kinds.add(GroupFault.RESTART);
        }
    }

    /** Whether this candidate only asks and never campaigns. */
    boolean isOperator(int index) {
        return plot == Plot.Kind.CALL_LASTS && index >= voters;
    }

    int candidates() {
        return timings.length;
    }

    double rateMax() {
        double most = 1;
        for (double rate : rates) {
            most = Math.max(most, rate);
        }
        return most;
    }

    /** From now on messages arrive soon, and disks are faster than answers time out. */
    void heal() {
        delayMax = Math.min(delayMax, delayMin + lease / 400);
        diskMax = Math.min(diskMax, lease / 400);
        loss = 0;
        doubled = 0;
        late = 0;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%d voters, %d guests, %s, %d elections, quarantine %.3f s, ceilings in steps of %d%n"
                        + "delays %.3f to %.3f ms, lost %.1f %%, doubled %.1f %%, late %.1f %% by up to %.3f s%n"
                        + "disks take up to %.1f ms, timers up to %.1f ms; %d mishaps in %.1f s of %s",
                voters,
                guests,
                scheme,
                elections,
                lease / 1e9,
                ceilingStep,
                delayMin / 1e6,
                delayMax / 1e6,
                100 * loss,
                100 * doubled,
                100 * late,
                lateMax / 1e9,
                diskMax / 1e6,
                wakeLagMax / 1e6,
                mishaps,
                horizon / 1e9,
                kinds.stream().map(Enum::name).collect(Collectors.joining(", "))));
        for (int i = 0; i < timings.length; i++) {
            text.append(String.format(
                    Locale.ROOT,
                    "%n%s %d: lease %.3f s, poll %.3f s, clock rate %.4f, wall clock %+.3f s",
                    i < voters ? "member" : "guest",
                    i,
                    timings[i].leaseNanos() / 1e9,
                    timings[i].pollIntervalNanos() / 1e9,
                    rates[i],
                    walls[i] / 1e9));
        }
        return text.toString();
    }
}
