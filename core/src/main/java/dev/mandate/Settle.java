package dev.mandate;

/** When a win is held and renewed, but announced only after a settling time, so that a former leader has surely stood down. */
public enum Settle {
    /** Never. */
    NEVER,
    /** After a record that another program wrote: nothing is known about when that program stops believing. Best effort. */
    AFTER_FOREIGN,
    /** After every former leader: for the lease in its record, or the foreign settling time. */
    ALWAYS
}
