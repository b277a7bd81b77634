package dev.mandate;

/**
 * Why a term ended, for its holder. Completed work and a resignation are ends, but no {@linkplain #isLoss losses}. The
 * family is closed: a {@code switch} over it is complete.
 */
public enum EndReason {
    /** The leader resigned. */
    RESIGNED("resigned", Kind.OWN_WILL),
    /** The candidacy was withdrawn, or the client closed. */
    WITHDRAWN("withdrawn", Kind.OWN_WILL),
    /** The task returned. */
    COMPLETED("the task returned", Kind.OWN_WILL),
    /** Somebody asked this term to end. */
    EVICTED("evicted", Kind.OWN_WILL),
    /** The task threw. */
    FAILED("the task failed", Kind.WORK),
    /** The task did not call {@link Leadership#reportProgress()} in time. */
    STALLED("the task stalled", Kind.WORK),
    /** The health check said no, or did not answer in time. */
    UNHEALTHY("the health check failed", Kind.WORK),
    /** No renewal was confirmed in time; the store may still show this term. */
    LEASE_RAN_OUT("the lease ran out", Kind.STORE),
    /** The record shows another attempt. */
    DISPLACED("the record shows another leader", Kind.STORE),
    /** The record is gone: deleted or forcibly released. */
    VANISHED("the record is gone", Kind.STORE),
    /** The session that kept the lease is over. */
    SESSION_ENDED("the session ended", Kind.STORE),
    /** No read confirmed the record for longer than allowed, although the session lives. */
    UNSEEN("the record could not be confirmed", Kind.STORE);

    private enum Kind {
        OWN_WILL,
        WORK,
        STORE
    }

    private final String words;
    private final Kind kind;

    EndReason(String words, Kind kind) {
        this.words = words;
        this.kind = kind;
    }

    /** Whether the leadership was lost: its holder neither resigned, nor withdrew, nor completed its work. */
    public boolean isLoss() {
        return kind != Kind.OWN_WILL || this == EVICTED;
    }

    /**
     * Whether the store, or the way to it, ended the term. Then there is no cool-down, except after {@link #UNSEEN}.
     */
    public boolean isStoreTrouble() {
        return kind == Kind.STORE;
    }

    /** Whether the leader's own work ended the term. */
    public boolean isWorkTrouble() {
        return kind == Kind.WORK;
    }

    @Override
    public String toString() {
        return words;
    }
}
