package dev.mandate.testkit.history;

/** What an {@link Event} reports. Candidates report the first ones, the trial the last ones. */
public enum EventKind {
    /** A candidate's client is open; number: its bound for a new leader after any fault, in nanoseconds. */
    UP,
    /** The same client; number: its bound for a new leader after a leader died, in nanoseconds. */
    FOLLOWS,
    /** Its task was entered; number: the token. */
    ENTERED,
    /** It was first found to believe the term, just before this instant; number: the token. */
    BEGAN,
    /** It was still found to believe the term, just after this instant; number: the token. */
    BELIEVED,
    /** It was notified that the term is over; number: the token, text: the reason. */
    LOST,
    /** Its task is about to return; number: the token. */
    LEFT,
    /** It sees a leader; number: the token. */
    SEES_LEADER,
    /** It sees that nobody leads. */
    SEES_NOBODY,
    /** It does not know who leads. */
    SEES_UNKNOWN,
    /** Its client was closed; nothing may come after this. */
    CLOSED,

    /** The process named by node is about to be frozen. */
    FROZEN,
    /** It runs again; number: how many nanoseconds it was frozen at least. */
    THAWED,
    /** The process named by node was killed. */
    KILLED,
    /** An operator freed or destroyed something by hand; number: how many nanoseconds from here two may believe. */
    OVERRIDDEN,
    /**
     * From here on the store has lost all its data; number: how many nanoseconds from here two may believe. Candidates
     * that come up later may get smaller tokens than earlier ones.
     */
    EMPTIED,
    /** Nobody has reached the store for over a lease; number: nanoseconds from here in which nobody did either. */
    UNREACHABLE,
    /** Everything was healed: the bound for a leader counts from here. */
    HEALED,
    /** Nothing was disturbed from {@link #HEALED} to here: all must agree by now. */
    SETTLED
}
