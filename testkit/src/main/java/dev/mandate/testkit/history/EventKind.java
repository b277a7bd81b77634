package dev.mandate.testkit.history;

/** What an {@link Event} tells. The first ones are told by candidates, the last ones by whoever runs the trial. */
public enum EventKind {
    /** A candidate's client is open; number: how many nanoseconds it promises to be led again after any fault. */
    UP,
    /** Said of the same client; number: how many nanoseconds it promises to be led again after a leader died. */
    FOLLOWS,
    /** Its task was entered; number: the token. */
    ENTERED,
    /** It believed the term when this was written, for the first time; number: the token. */
    BEGAN,
    /** It believed the term after this instant was read; number: the token. */
    BELIEVED,
    /** It was told that the term is over; number: the token, text: the reason. */
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
    /** It runs again; number: for how many nanoseconds it stood still at least. */
    THAWED,
    /** The process named by node was killed. */
    KILLED,
    /** From here an operator freed or destroyed something by hand; number: for how many nanoseconds from here two may believe. */
    OVERRIDDEN,
    /**
     * From here the store lost all its data; number: for how many nanoseconds from here two may believe. Whoever comes up later may be given
     * smaller tokens than there were.
     */
    EMPTIED,
    /** For longer than a lease nobody has reached the store; number: for how many nanoseconds from here nobody did either. */
    UNREACHABLE,
    /** Everything was healed: from here the bound for a leader counts. */
    HEALED,
    /** From {@link #HEALED} to here nothing was disturbed: everybody has to agree by now. */
    SETTLED
}
