package dev.mandate;

/** How a call to the store ended, as far as the caller knows. Later versions may add outcomes. */
public enum CallOutcome {
    /** A read, a listing or a request of a session was answered. */
    ANSWERED,
    /** A write took effect. */
    WRITTEN,
    /** The store refused a write, because the record had changed, or a renewal of a session, because it was over. */
    REFUSED,
    /** The call failed, or was not answered in time: whether it took effect is unknown. */
    UNKNOWN,
    /** The store rejects such calls until somebody changes something: a right, a setting, a table. */
    FAULTED
}
