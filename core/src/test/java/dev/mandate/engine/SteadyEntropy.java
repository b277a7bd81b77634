package dev.mandate.engine;

/** Identifiers that can be told apart, and no jitter: every instant of a test can be worked out by hand. */
class SteadyEntropy implements Entropy {
    private long drawn;

    @Override
    public long nextLong() {
        return ++drawn;
    }

    @Override
    public long below(long bound) {
        return 0;
    }

    @Override
    public long jittered(long nanos) {
        return nanos;
    }
}
