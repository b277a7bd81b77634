package dev.mandate.simulator.world;

import org.jspecify.annotations.Nullable;

/** A future event, in the world at large or inside one process. */
abstract class Step {
    /** True time. */
    long at;
    /** Breaks ties, first come, first served. */
    long order;

    /** The process it happens in, or null for the world. It waits while that is frozen and is lost with it. */
    final @Nullable Candidate target;

    private final int epoch;

    Step(@Nullable Candidate target) {
        this.target = target;
        this.epoch = target == null ? 0 : target.epoch;
    }

    /** Whether the process it was meant for is gone. */
    final boolean isStale() {
        return target != null && (target.epoch != epoch || !target.isUp);
    }

    /** Makes it happen. */
    abstract void run(World world);

    /** What goes into the hash besides the time. */
    abstract long mark();

    /** For transcripts. */
    @Override
    public abstract String toString();
}
