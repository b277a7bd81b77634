package dev.mandate.simulator.world;

/** What can go wrong, or be asked for at a bad time, in worlds of the real runtime. A batch is void unless each kind happened. */
public enum Hazard {
    // ---- to threads ----
    /** Somebody lost the processor between two steps. */
    DESCHEDULED,
    /** The same, for a loop. */
    LOOP_DESCHEDULED,
    /** The same, for a watchdog. */
    WATCHDOG_DESCHEDULED,
    /** The same, for longer than most of a lease. */
    DESCHEDULED_LONG,
    // ---- to messages ----
    REQUEST_LOST,
    ANSWER_LOST,
    CALL_FAILED,
    CALL_REFUSED,
    METHOD_THREW,
    SLOW,
    REQUEST_LATE,
    REQUEST_DOUBLED,
    HINT_LOST,
    HINT_LATE,
    // ---- to processes and the store ----
    CUT,
    CUT_ANSWERS,
    OUTAGE,
    REFUSING,
    PAUSE,
    SUSPENSION,
    CRASH,
    HALTED,
    WALL_AHEAD,
    WALL_BACK,
    WATCH_BROKEN,
    WATCH_GAP,
    ASKED_TO_LEAVE,
    FORCED_RELEASE,
    DELETED,
    LEASE_ENDED,
    /** An allocation failed in the midst of one of the machines' steps. */
    MEMORY_SHORT,
    // ---- by users ----
    RESIGNED,
    WITHDREW,
    PROCLAIMED,
    TASK_RETURNED,
    TASK_FAILED,
    TASK_STALLED,
    TASK_UNHEALTHY,
    CHECK_HUNG,
    WORK_OVERRAN,
    /** The work of a term is done by the continuation that was told of it. */
    WORKED_WHEN_TOLD,
    OBSERVED,
    LISTENER_SLOW,
    GAVE_UP,
    CLOSED;

    /** Those that befall processes or the store at planned times. */
    public static final Hazard[] PLANNED = java.util.Arrays.copyOfRange(values(), CUT.ordinal(), RESIGNED.ordinal());

    /** What users do at planned times. */
    public static final Hazard[] USERS = {RESIGNED, WITHDREW, PROCLAIMED, TASK_RETURNED, TASK_FAILED, OBSERVED, CLOSED};

    /** Whether it takes a lead away by force, so that an overlap is to be expected. */
    public boolean isForce() {
        return this == FORCED_RELEASE || this == DELETED || this == LEASE_ENDED;
    }
}
