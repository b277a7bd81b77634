package dev.mandate;

/** The term is over. Nothing more may be done in its name. */
public final class LeadershipLostException extends ElectionException {
    private static final long serialVersionUID = 1L;

    private final EndReason reason;

    /** The message names election, term and reason. */
    public LeadershipLostException(String message, EndReason reason) {
        super(message);
        this.reason = reason;
    }

    /** Why the term ended. */
    public EndReason reason() {
        return reason;
    }
}
