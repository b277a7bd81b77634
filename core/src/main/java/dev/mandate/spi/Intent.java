package dev.mandate.spi;

/** Why a held record is written again. Every update keeps the attempt, the term and the lease attached to the key. */
public enum Intent {
    /** The holder prolongs its own lease. Only where each record has its lease ({@link LeaseScope#RECORD}). */
    RENEW,
    /**
     * The holder replaces its value. Must not count as a renewal for challengers, where the store can tell them apart.
     */
    PROCLAIM,
    /** Somebody sets the leave flag. Must not prolong anything. */
    ASK_TO_LEAVE
}
