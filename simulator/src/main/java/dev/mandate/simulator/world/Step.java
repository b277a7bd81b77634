package dev.mandate.simulator.world;

import org.jspecify.annotations.Nullable;

/** Something that will happen at an instant: in the world at large, or inside one process. */
abstract class Step {
    /** True time. */
    long at;
    /** Breaks ties, first come first served. */
    long order;

    /** In whose process it happens; null for the world at large. It is put off while the process is frozen, and lost with it. */
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
