package dev.mandate.simulator.runtime;

/** Thrown on threads that are descheduled when the schedule ends; they give up what they were doing. */
final class WorldOver extends Error {
    private static final long serialVersionUID = 1;

    WorldOver() {
        super("the schedule is over", null, false, false);
    }
}
