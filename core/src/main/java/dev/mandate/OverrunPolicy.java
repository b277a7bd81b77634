package dev.mandate;

/** What happens to the lease when work outlives its drain budget. */
public enum OverrunPolicy {
    /** The lease is held for one more L, then released while the work still runs. */
    RELEASE,
    /** The lease is held until the work ends. */
    HOLD,
    /** The JVM halts at once, with status 70 and without shutdown hooks. */
    HALT
}
