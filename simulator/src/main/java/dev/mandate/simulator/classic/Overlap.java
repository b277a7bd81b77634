package dev.mandate.simulator.classic;

/** How long several nodes led at once. Times in nanoseconds. */
final class Overlap {
    private static final long NONE = Long.MAX_VALUE;

    private long sinceNanos = NONE;
    private long totalNanos;
    private long longestNanos;

    /** So many nodes lead from now on; returns whether this began or ended a time with several leaders. */
    boolean counted(int leaders, long nowNanos) {
        if (leaders > 1 && sinceNanos == NONE) {
            sinceNanos = nowNanos;
            return true;
        } else if (leaders < 2 && sinceNanos != NONE) {
            longestNanos = longestNanos(nowNanos);
            totalNanos = totalNanos(nowNanos);
            sinceNanos = NONE;
            return true;
        }
        return false;
    }

    /** How long several have led without a break until now; 0 if fewer than two lead. */
    long currentNanos(long nowNanos) {
        return sinceNanos == NONE ? 0 : nowNanos - sinceNanos;
    }

    /** How long several led, in total. */
    long totalNanos(long nowNanos) {
        return totalNanos + currentNanos(nowNanos);
    }

    /** The longest time without a break in which several led. */
    long longestNanos(long nowNanos) {
        return Math.max(longestNanos, currentNanos(nowNanos));
    }
}
