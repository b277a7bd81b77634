package dev.mandate.peers.classic;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * How often classic elections have two leaders at once.
 *
 * @param runs of two minutes each, with five nodes
 * @param withSeveral how many of them had several leaders for 0.1 s or more: longer than a leader takes to hear of the
 * next one
 * @param share of the time during which several led, 0 to 1
 * @param terms how often somebody began to lead, in all runs
 */
record ClassicRates(int runs, int withSeveral, double share, long terms) {
    private static final long SECOND = 1_000 * ClassicWorld.MILLI;
    private static final long RUN_NANOS = 120 * SECOND;
    private static final int MEMBERS = 5;

    /** What goes wrong in a run. */
    enum Faults {
        /** Nodes crash and return. */
        CRASHES,
        /** And pause, up to 9 s. */
        PAUSES,
        /** Nodes crash and return, and the network splits in two. */
        SPLITS,
        /** Nodes crash and return, a fifth of the messages is lost, and 5 % come up to 1.5 s late. */
        LOSS,
        /** All of that. */
        ALL;

        boolean pauses() {
            return this == PAUSES || this == ALL;
        }

        boolean splits() {
            return this == SPLITS || this == ALL;
        }

        boolean loses() {
            return this == LOSS || this == ALL;
        }
    }

    static ClassicRates of(Algorithm algorithm, Faults faults, int runs, long seed) {
        SplittableRandom seeds = new SplittableRandom(seed);
        int withSeveral = 0;
        long several = 0;
        long terms = 0;
        for (int run = 0; run < runs; run++) {
            ClassicWorld world = run(algorithm, faults, seeds.split());
            withSeveral += world.longestNanos() >= 100 * ClassicWorld.MILLI ? 1 : 0;
            several += world.severalNanos();
            terms += world.terms();
        }
        return new ClassicRates(runs, withSeveral, (double) several / ((double) runs * RUN_NANOS), terms);
    }

    private static ClassicWorld run(Algorithm algorithm, Faults faults, SplittableRandom random) {
        ClassicWorld world = new ClassicWorld(algorithm, MEMBERS, random.nextLong(), false);
        if (faults.loses()) {
            world.loss = 0.2;
            world.late = 0.05;
        }
        world.startAll();
        while (world.nowNanos() < RUN_NANOS) {
            fault(world, faults, random);
            world.runFor(Math.min(3 * SECOND + random.nextLong(6 * SECOND), RUN_NANOS - world.nowNanos()));
        }
        return world;
    }

    private static void fault(ClassicWorld world, Faults faults, SplittableRandom random) {
        int id = aimed(world, random);
        int what = random.nextInt(3);
        if (what == 0 && faults.splits()) {
            List<Integer> apart = new ArrayList<>();
            for (int each = 0; each < MEMBERS; each++) {
                if (random.nextBoolean()) {
                    apart.add(each);
                }
            }
            world.split(apart);
            world.at(2 * SECOND + random.nextLong(8 * SECOND), world::heal);
        } else if (what == 1 && faults.pauses() && world.lives(id)) {
            world.pause(id, SECOND + random.nextLong(8 * SECOND));
        } else if (world.lives(id)) {
            world.crash(id);
            world.at(SECOND + random.nextLong(8 * SECOND), () -> {
                if (!world.lives(id)) {
                    world.start(id);
                }
            });
        }
    }

    /** A leader, every other time. */
    private static int aimed(ClassicWorld world, SplittableRandom random) {
        List<Integer> leaders = world.leaders();
        return leaders.isEmpty() || random.nextBoolean() ? random.nextInt(MEMBERS) : leaders.get(0);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "two leaders in %d of %d runs, %.2f %% of the time; %d terms",
                withSeveral,
                runs,
                100 * share,
                terms);
    }
}
