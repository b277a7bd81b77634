package dev.mandate.simulator.runtime;

/** Thrown wherever somebody is descheduled when the schedule ends: what is half done is given up. */
final class WorldOver extends Error {
    private static final long serialVersionUID = 1;

    WorldOver() {
        super("the schedule is over", null, false, false);
    }
}
