package dev.mandate.testkit;

/** Which way bytes go through a {@link FaultProxy}. */
public enum Direction {
    /** Requests. */
    TO_SERVER,
    /** Answers. */
    TO_CLIENT
}
