package dev.mandate.simulator.check;

/** What a schedule may break. */
public enum Invariant {
    /** At most one candidate may be believed in an election, as if each were asked at this instant. */
    BELIEF,
    /** Belief that ended does not come back. */
    REVIVAL,
    /** Every later term of an election has a larger number, and a term's number never changes. */
    TERMS,
    /**
     * A register shows what it confirmed, or what descends from it, and nothing that it refused, while their leases run; and no call asks
     * voters to accept anything once it is over.
     */
    REGISTER,
    /** A guarded resource takes no older token, and never refuses the one valid leader. */
    FENCE,
    /** Work that stops within its budget never runs beside the next leader's. */
    EFFECTS,
    /**
     * A record is released only after its work stopped, or after the policy's hold. What is left of an election is
     * never erased.
     */
    RELEASE,
    /** No attempt while work of an earlier term runs, during a cool-down, or while standing down. */
    ATTEMPT,
    /** Where there is an order: no attempt before one's turn, and whoever wants to lead, or leads, says so. */
    TURN,
    /**
     * Where candidates queue, all is well and the store tells of changes: the one that has waited longest leads next,
     * and waits for nobody who is gone.
     */
    ARRIVAL,
    /** Nothing begins or is written after the withdrawal or the close was announced. */
    SILENCE,
    /** A client sends no more in a lease than twice what its settings call for, whatever fails. */
    LOAD,
    /** Of one election, one session, or the common listing a client has one request in flight; a write may give up a look. */
    IN_FLIGHT,
    /**
     * What failed, or was refused, is tried again after the documented pause, which grows with failures in a row. A look follows a look after a
     * poll, sooner only if something asks for it, and never closer than retries are spaced.
     */
    PACE,
    /** An answer that is no longer awaited proves nothing and changes nothing. */
    REPLIES,
    /** Begin and End alternate, one End for every Begin; every command is answered once. */
    CALLBACKS,
    /** The end of a term is announced by its deadline, unless the process could not run. */
    DEADLINE,
    /** Work that runs beyond its deadline is reported by then, unless the process could not run. */
    OVERRUN,
    /** Token and value that are announced are those of the record, and a proclaim that was confirmed is found there. */
    VALUE,
    /** A term ends only for a reason that is true. */
    REASON,
    /** What an update leaves behind: the same attempt, the same term, the leave flag. */
    RECORD,
    /** At most one usable session per client, and none ended that covers work. */
    SESSION,
    /** What observers are told happened, in this order, and is right in the end. */
    VIEW,
    /** Who follows a service is told the whole first; changes, applied in order, make the list. */
    CHANGES,
    /** A list of instances is not emptied by a gap, or by what one listing does not show. */
    BLANK,
    /**
     * When all faults are healed, instances that live are listed with what they say, and those that died are gone,
     * within the bound.
     */
    INSTANCES,
    /** When all faults are healed, a candidate leads within the computed bound. */
    LEADER,
    /** When all faults are healed, leadership stays where it is. */
    CALM,
    /** When all faults are healed, no record is left behind that nobody owns. */
    LEFTOVERS,
    /** A withdrawal or a close comes to its end within bounds. */
    ENDING,
    /** No event may throw. */
    TOTALITY,
    /** Users' code runs on no thread that renews or watches, and leaves no interrupt behind on one that is used again. */
    ISOLATION
}
