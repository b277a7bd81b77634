package dev.mandate;

/** The term is over. Nothing more may be done in its name. */
public final class LeadershipLostException extends ElectionException {
    private static final long serialVersionUID = 1L;

    private final LossReason reason;

    /** The message names election, term and reason. */
    public LeadershipLostException(String message, LossReason reason) {
        super(message);
        this.reason = reason;
    }

    /** Why the term ended. */
    public LossReason reason() {
        return reason;
    }
}
