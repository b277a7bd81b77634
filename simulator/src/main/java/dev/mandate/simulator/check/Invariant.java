package dev.mandate.simulator.check;

/** The promises that a schedule may break. */
public enum Invariant {
    /** At most one candidate per election is believed, as if all were asked at this instant. */
    BELIEF,
    /** Belief that ended does not come back. */
    REVIVAL,
    /** Every later term of an election has a larger number, and a term's number never changes. */
    TERMS,
    /**
     * While leases run, a register shows what it confirmed or a descendant of that, and nothing that it refused. No
     * call that has ended asks a voter to accept anything.
     */
    REGISTER,
    /** A guarded resource accepts no older token and never refuses the one valid leader. */
    FENCE,
    /** Work that stops within its budget never runs beside the next leader's. */
    EFFECTS,
    /** A record is released only after its work stopped or the policy's hold is over. No election is ever erased. */
    RELEASE,
    /** Nobody tries to acquire while work of an earlier term runs, during a cool-down, or while standing down. */
    ATTEMPT,
    /** With an order, nobody tries before its turn, and all say truly whether they seek the lead or lead. */
    TURN,
    /**
     * With a queue, while all is well and the store notifies of changes, the candidate that has waited longest leads
     * next and waits for nobody who is gone.
     */
    ARRIVAL,
    /** After a withdrawal or a close is announced, nothing begins or is written. */
    SILENCE,
    /** In one lease a client sends at most twice as many requests as its settings call for, whatever fails. */
    LOAD,
    /** A client has one request in flight per election, session, or common listing; a write may give up a look. */
    IN_FLIGHT,
    /**
     * What failed or was refused is retried after the documented pause, which grows with failures in a row. A look
     * follows a look after a poll, sooner only on request, and never closer than retries are spaced.
     */
    PACE,
    /** An answer that is no longer awaited proves and changes nothing. */
    REPLIES,
    /** Begin and End alternate, and every command has one answer. */
    CALLBACKS,
    /** The end of a term is announced by its deadline, unless the process could not run. */
    DEADLINE,
    /** Work that runs beyond its deadline is reported by its deadline, unless the process could not run. */
    OVERRUN,
    /** Announced tokens and values are those of the record, and a confirmed proclaim is found there. */
    VALUE,
    /** A term ends only for a reason that is true. */
    REASON,
    /** An update keeps the attempt, the term and the leave flag. */
    RECORD,
    /** A client has at most one usable session, and ends none that covers work. */
    SESSION,
    /** All that observers are told happened in that order, and is right in the end. */
    VIEW,
    /** A follower of a service is first told the whole list; changes, applied in order, keep it true. */
    CHANGES,
    /** Neither a gap nor one incomplete listing empties a list of instances. */
    BLANK,
    /** When all faults are healed, living instances are listed as they are and dead ones are gone, within the bound. */
    INSTANCES,
    /** When all faults are healed, a candidate leads within the computed bound. */
    LEADER,
    /** When all faults are healed, leadership stays with its holder. */
    CALM,
    /** When all faults are healed, no record without an owner is left. */
    LEFTOVERS,
    /** A withdrawal or a close ends within bounds. */
    ENDING,
    /** No event throws. */
    TOTALITY,
    /** User code runs on no thread that renews or watches, and leaves no interrupt on a thread that is used again. */
    ISOLATION
}
