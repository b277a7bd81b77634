package dev.mandate.spring;

/** A call of a {@link LeaderOnly} method was refused because this application does not lead. Nothing has happened. */
public final class NotLeaderException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String election;

    /** A refusal for want of leadership in that election. */
    public NotLeaderException(String election) {
        super("this application does not lead in '" + election + "'; call the leader, or try again later");
        this.election = election;
    }

    /** The name of the election. */
    public String election() {
        return election;
    }
}
