package dev.mandate.simulator.world;

/** What can go wrong, or be requested at a bad time, in the real runtime. A batch is void unless each kind happened. */
public enum Hazard {
    // ---- to threads ----
    /** A thread was descheduled between two steps. */
    DESCHEDULED,
    /** A loop was descheduled. */
    LOOP_DESCHEDULED,
    /** A watchdog was descheduled. */
    WATCHDOG_DESCHEDULED,
    /** A thread was descheduled for more than half a lease. */
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
    /** An allocation failed in the midst of a machine's step. */
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
    /** The continuation that was told of a term does its work. */
    WORKED_WHEN_TOLD,
    OBSERVED,
    LISTENER_SLOW,
    GAVE_UP,
    CLOSED;

    /** The hazards that befall processes or the store at planned times. */
    public static final Hazard[] PLANNED = java.util.Arrays.copyOfRange(values(), CUT.ordinal(), RESIGNED.ordinal());

    /** What users do at planned times. */
    public static final Hazard[] USERS = {RESIGNED, WITHDREW, PROCLAIMED, TASK_RETURNED, TASK_FAILED, OBSERVED, CLOSED};

    /** Whether it takes a lead away by force, so that an overlap is expected. */
    public boolean isForce() {
        return this == FORCED_RELEASE || this == DELETED || this == LEASE_ENDED;
    }
}
