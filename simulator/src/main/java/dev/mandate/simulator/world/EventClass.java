package dev.mandate.simulator.world;

/** What can happen to a client's machines, as coverage counts it. */
public enum EventClass {
    TICK,
    CAMPAIGN,
    WITHDRAW,
    RESIGN,
    PROCLAIM,
    OBSERVE,
    WORK_STOPPED,
    READ_ANSWERED,
    WRITTEN,
    REFUSED,
    UNANSWERED,
    FAULTED,
    SWEPT,
    SWEEP_DONE,
    HINTED,
    GAP,
    TERM_LATCHED,
    SESSION_OPENED,
    SESSION_RENEWED,
    SESSION_GONE,
    SESSION_ENDED,
    SESSION_UNANSWERED,
    SESSION_FAULTED,
    SESSION_LATCHED,
    CLOSE;

    /** Whether somebody asks for something: what follows is not the machine's own doing. */
    boolean isCommand() {
        return switch (this) {
            case CAMPAIGN, WITHDRAW, RESIGN, PROCLAIM, OBSERVE, WORK_STOPPED, GAP, CLOSE -> true;
            default -> false;
        };
    }
}
