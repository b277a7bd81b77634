package dev.mandate;

/** When a win is held and renewed but not yet announced, so that a former leader has surely stopped. */
public enum Settle {
    /** Never. */
    NEVER,
    /** After a record of another program, which may stop believing at any unknown time. Best effort. */
    AFTER_FOREIGN,
    /** After every former leader: for the lease in its record, or the foreign settling time. */
    ALWAYS
}
