package dev.mandate.simulator.world;

/** What can go wrong in worlds of groups, or make them harder. A batch is void unless each kind happened. */
public enum GroupFault {
    // ---- to messages ----
    LOST,
    /** It took longer than a lease. */
    LATE,
    DOUBLED,
    REORDERED,
    /** It had to leave by a deadline and was too late. */
    NOT_SENT,
    /** It reached a later life of its receiver. */
    OUTLIVED_ITS_RECEIVER,
    // ---- to links ----
    ONE_WAY,
    SPLIT_IN_TWO,
    /** Two sides that share members. */
    SPLIT_INTERSECTING,
    /** Each member hears only its neighbours. */
    SPLIT_AS_A_RING,
    // ---- to processes ----
    PAUSE,
    /** A pause during which the monotonic clock stood still. */
    SUSPENSION,
    /** A pause longer than two leases. */
    PAUSED_LONG,
    RESTART,
    RESTART_LOST,
    RESTART_OLD,
    /** The process died while it wrote, and the next one found the old state. */
    WRITE_LOST,
    /** The process died while it wrote, and the next one found the new state. */
    WRITE_LANDED,
    ALL_AT_ONCE,
    /** All restarted at once, and a majority had lost its files or had old ones. */
    MAJORITY_FORGOT,
    REQUESTS_LATE,
    // ---- to disks ----
    DISK_FAILED,
    DISK_SLOW,
    // ---- to clocks ----
    CLOCKS_AT_Q,
    WALL_AHEAD,
    WALL_BACK,
    // ---- by users ----
    RESIGNED,
    WITHDREW,
    ASKED_TO_LEAVE,
    PROCLAIMED,
    // ---- what such worlds are ----
    RACE,
    BULLY,
    PREEMPTING_BULLY,
    RING,
    GUEST,
    /** A candidate whose lease is longer than the group grants. */
    LEASE_TOO_LONG,
    /** Voters restart while a write that they promised is in flight. */
    PLOT
}
