package dev.mandate.simulator.world;

import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * An order that says who tries first, and what is wrong with it: all of it is allowed and costs a wait at most. Chances
 * are from 0 to 1.
 *
 * @param shape which places it gives
 * @param lost a place is never given
 * @param late a place, or a request to leave, comes late
 * @param lateMaxNanos by how much at most
 * @param twice a place is given twice, the second time late
 * @param unasked a client that seeks no place is given one
 * @param asksToLeave a leader is asked to leave
 */
record OrderKnobs(
        Shape shape, double lost, double late, long lateMaxNanos, double twice, double unasked, double asksToLeave) {
    /** Its own random stream, so that orders change nothing in worlds without one. */
    private static final long STREAM = 0x6F72646572L;

    /** Which places are given. */
    enum Shape {
        /** The number of campaigning candidates with a higher index, as in bully and ring. */
        RANK,
        /** Any place; several may have the same. */
        ANY,
        /** All are first. */
        FIRST,
        /** Meaningless numbers. */
        SENSELESS
    }

    /** The order of the world of {@code seed}; null in half of the worlds, and for clock pairs and queues. */
    static @Nullable OrderKnobs draw(long seed, Knobs knobs) {
        SplittableRandom random = new SplittableRandom(seed ^ STREAM);
        boolean isOrdered = random.nextBoolean();
        if (!isOrdered || knobs.aim.isClockPair() || knobs.aim == Aim.QUEUES) {
            return null;
        }
        Shape[] shapes = Shape.values();
        boolean isPerfect = random.nextInt(4) == 0;
        double most = isPerfect ? 0 : 1;
        return new OrderKnobs(
                random.nextBoolean() ? Shape.RANK : shapes[random.nextInt(shapes.length)],
                most * (random.nextInt(4) == 0 ? 1 : random.nextDouble() * random.nextDouble()),
                most * random.nextDouble(),
                (long) (knobs.leaseMax() * random.nextDouble() * (random.nextBoolean() ? 0.3 : 3)),
                most * random.nextDouble() * 0.5,
                most * random.nextDouble() * 0.5,
                random.nextBoolean() ? 0 : random.nextDouble());
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "places %s, lost %.1f %%, late %.1f %% up to %.3f ms, twice %.1f %%, unasked %.1f %%, leaders asked to leave %.1f %%",
                shape.name().toLowerCase(Locale.ROOT),
                100 * lost,
                100 * late,
                lateMaxNanos / 1e6,
                100 * twice,
                100 * unasked,
                100 * asksToLeave);
    }
}
