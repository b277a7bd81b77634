package dev.mandate.simulator.world;

/** What can go wrong, or be requested at a bad time. A batch is void unless each kind happened. */
public enum Fault {
    // ---- always on, each message or task by chance ----
    REQUEST_LOST,
    ANSWER_LOST,
    ANSWER_DOUBLED,
    CALL_FAILED,
    CALL_REFUSED,
    SLOW,
    REQUEST_LATE,
    REQUEST_DOUBLED,
    /** An acquire takes two requests, and the second never came. */
    TAKEN_BY_HALF,
    EXPIRED_RENEWED,
    HINT_LOST,
    HINT_LATE,
    HINT_DOUBLED,
    WORK_OVERRAN,
    WORK_STUCK,
    // ---- by the nemesis ----
    CUT,
    CUT_REQUESTS,
    CUT_ANSWERS,
    CUT_READS,
    CUT_WRITES,
    OUTAGE,
    REFUSING,
    PAUSE,
    SUSPENSION,
    CRASH,
    WALL_AHEAD,
    WALL_BACK,
    SERVER_WALL_BACK,
    /** The clock by which the store ends leases is set while leases run. */
    SERVER_CLOCK_STEP,
    WATCH_GAP,
    ASKED_TO_LEAVE,
    FORCED_RELEASE,
    DELETED,
    LEASE_ENDED,
    OVERWRITTEN,
    // ---- by users, at a bad time ----
    RESIGNED,
    WITHDREW,
    PROCLAIMED,
    TASK_RETURNED,
    TASK_FAILED,
    OBSERVED,
    CLOSED,
    // ---- by the order that says who tries first; last, so that traces without an order stay the same ----
    PLACE_LOST,
    PLACE_LATE,
    PLACE_DOUBLED,
    ASKED_BY_THE_ORDER;

    /** The faults of the nemesis. */
    static final Fault[] NEMESIS = java.util.Arrays.copyOfRange(values(), CUT.ordinal(), RESIGNED.ordinal());

    /** What users do. */
    static final Fault[] USERS = java.util.Arrays.copyOfRange(values(), RESIGNED.ordinal(), CLOSED.ordinal() + 1);

    /** Whether it takes a lead away by force, so that an overlap is expected. */
    boolean isForce() {
        return this == FORCED_RELEASE || this == DELETED || this == LEASE_ENDED || this == OVERWRITTEN;
    }
}
