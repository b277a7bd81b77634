package dev.mandate.simulator.classic;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * How often several of five nodes led at once, in random schedules of two minutes.
 *
 * @param schedules how many were run
 * @param withSeveral in how many of them several led, however briefly
 * @param withSeveralForLong in how many of them several led for at least {@link #LONG_NANOS} without a break
 * @param share of the time in which several led, 0 to 1
 */
record ClassicRates(long schedules, long withSeveral, long withSeveralForLong, double share) {
    /** Far longer than a message takes unless it is late. */
    static final long LONG_NANOS = 100 * ClassicWorld.MILLI;

    private static final long SECOND = ClassicWorld.SECOND;
    private static final long RUN_NANOS = 120 * SECOND;
    private static final int NODES = 5;
    private static final List<Faults> SUDDEN = List.of(Faults.CRASHES, Faults.PAUSES, Faults.SPLITS);

    /** Runs the schedules {@code base}, {@code base + 1}, … */
    static ClassicRates of(Algorithm algorithm, Faults faults, long schedules, long base) {
        long several = 0;
        long forLong = 0;
        double nanos = 0;
        for (long i = 0; i < schedules; i++) {
            ClassicWorld world = run(algorithm, faults, new SplittableRandom(base + i));
            several += world.longestNanos() > 0 ? 1 : 0;
            forLong += world.longestNanos() >= LONG_NANOS ? 1 : 0;
            nanos += world.severalNanos();
        }
        return new ClassicRates(schedules, several, forLong, nanos / schedules / RUN_NANOS);
    }

    private static ClassicWorld run(Algorithm algorithm, Faults faults, SplittableRandom random) {
        ClassicWorld world = new ClassicWorld(algorithm, NODES, random.split(), new ClassicTranscript());
        if (faults.has(Faults.LOSS)) {
            world.disturb(0.2, 0.05);
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
        Faults kind = faults == Faults.ALL ? SUDDEN.get(random.nextInt(SUDDEN.size())) : faults;
        if (kind == Faults.SPLITS) {
            world.split(someOf(random));
            world.after(2 * SECOND + random.nextLong(8 * SECOND), world::heal);
        } else if (kind == Faults.PAUSES && world.lives(id)) {
            world.pause(id, SECOND + random.nextLong(8 * SECOND));
        } else if (kind == Faults.CRASHES && world.lives(id)) {
            world.crash(id);
            world.after(SECOND + random.nextLong(8 * SECOND), () -> world.start(id));
        }
    }

    private static List<Integer> someOf(SplittableRandom random) {
        List<Integer> some = new ArrayList<>();
        for (int id = 0; id < NODES; id++) {
            if (random.nextBoolean()) {
                some.add(id);
            }
        }
        return some;
    }

    /** A leader every other time, otherwise any node. */
    private static int aimed(ClassicWorld world, SplittableRandom random) {
        List<Integer> leaders = world.leaders();
        return leaders.isEmpty() || random.nextBoolean() ? random.nextInt(NODES) : leaders.get(0);
    }
}
