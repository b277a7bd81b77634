package dev.mandate.engine;

/** Draws the latest that may be: what a test reckons is the bound of every pause. */
final class LatestEntropy extends SteadyEntropy {
    @Override
    public long below(long bound) {
        return Math.max(0, bound - 1);
    }

    @Override
    public long jittered(long nanos) {
        return nanos + nanos / 5;
    }
}
